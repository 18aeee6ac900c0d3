// @endo/captp 4.5.1 publishes no types for its entry. These are the parts used
// here, read off its source.
declare module '@endo/captp' {
  export type CapTPMessage = Record<string, unknown>;

  export type CapTPOptions = {
    readonly onReject?: (error: unknown) => void;
    readonly gcImports?: boolean;
    readonly exportHook?: (value: unknown, slot: string) => void;
    readonly importHook?: (value: unknown, slot: string) => void;
  };

  export type CapTP = {
    readonly abort: (reason?: unknown) => void;
    readonly dispatch: (message: CapTPMessage) => boolean;
    readonly getBootstrap: () => Promise<unknown>;
    readonly getStats: () => unknown;
  };

  export const makeCapTP: (
    ourId: string,
    rawSend: (message: CapTPMessage) => void | PromiseLike<void>,
    bootstrap?: unknown,
    options?: CapTPOptions,
  ) => CapTP;
}
