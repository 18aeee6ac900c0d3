// @endo/captp 4.5.1 publishes no types for its entry. These are the parts used
// here, read off its source.
declare module '@endo/captp' {
  export type CapTPMessage = Record<string, unknown>;

  /** How the promise or presence of an imported slot is settled. */
  export type RemoteKit = {
    readonly promise: Promise<unknown>;
    readonly settler: {
      readonly resolve: (value: unknown) => void;
      readonly reject: (reason: unknown) => void;
      readonly resolveWithPresence: () => object;
    };
  };

  export type ImportExportTablesOptions = {
    readonly gcImports: boolean;
    readonly releaseSlot: (slot: string) => void;
    readonly makeRemoteKit: (slot: string) => RemoteKit;
  };

  export type ImportExportTables = {
    readonly makeSlotForValue: (value: unknown) => string;
    readonly makeValueForSlot: (
      slot: string,
      iface: string | undefined,
    ) => { val: unknown; settler: RemoteKit['settler'] };
    readonly hasImport: (slot: string) => boolean;
    readonly getImport: (slot: string) => unknown;
    readonly markAsImported: (slot: string, value: object) => void;
    readonly hasExport: (slot: string) => boolean;
    readonly getExport: (slot: string) => unknown;
    readonly markAsExported: (slot: string, value: unknown) => void;
    readonly deleteExport: (slot: string) => void;
    readonly didDisconnect: () => void;
  };

  export type CapTPOptions = {
    readonly onReject?: (error: unknown) => void;
    readonly gcImports?: boolean;
    readonly exportHook?: (value: unknown, slot: string) => void;
    readonly importHook?: (value: unknown, slot: string) => void;
    readonly makeCapTPImportExportTables?: (
      options: ImportExportTablesOptions,
    ) => ImportExportTables;
  };

  export type CapTP = {
    readonly abort: (reason?: unknown) => void;
    readonly dispatch: (message: CapTPMessage) => boolean;
    readonly getBootstrap: () => Promise<unknown>;
    readonly getStats: () => unknown;
    readonly serialize: (value: unknown) => { body: string; slots: string[] };
  };

  export const makeCapTP: (
    ourId: string,
    rawSend: (message: CapTPMessage) => void | PromiseLike<void>,
    bootstrap?: unknown,
    options?: CapTPOptions,
  ) => CapTP;
}
