/**
 * Locks the realm down. Every entry point imports this module before anything
 * else.
 *
 * It also takes the global console away. Marshal writes the text of each error
 * that it sends to `console.log`, which would spoil the standard output of a
 * command and put mail into logs. What is written to `console` from here on
 * goes to the sink of `setConsole`, and nowhere until one is set; marshal's
 * lines go nowhere at all.
 */
import '@endo/init/pre-remoting.js';
import { formatWithOptions, inspect } from 'node:util';

// These hand Node's own `inspect`, one and the same mutable function for all
// code in the process, to whatever they meet in what they print.
for (const prototype of [
  URL.prototype,
  URLSearchParams.prototype,
  TextEncoder.prototype,
  TextDecoder.prototype,
  Object.getPrototypeOf(new URLSearchParams().entries()) as object,
]) {
  Reflect.deleteProperty(prototype, inspect.custom);
}

lockdown({
  errorTaming: 'unsafe',
  consoleTaming: 'unsafe',
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  overrideTaming: 'moderate',
  domainTaming: 'unsafe',
});

export type ConsoleLevel = 'debug' | 'info' | 'warn' | 'error';

/** Takes one formatted text, which may have several lines. */
export type ConsoleSink = (level: ConsoleLevel, text: string) => void;

const MARSHAL_LINE = 'Temporary logging of sent error';
const MAX_TEXT = 8192;

let sink: ConsoleSink | undefined;

/** Says where `console.log` and its like write; nowhere with `undefined`. */
export const setConsole = (newSink: ConsoleSink | undefined): void => {
  sink = newSink;
};
harden(setConsole);

const writeAt =
  (level: ConsoleLevel, to: () => ConsoleSink | undefined) =>
  (...values: readonly unknown[]): void => {
    const writer = to();
    if (writer === undefined || values[0] === MARSHAL_LINE) return;
    // No custom inspection: an object must not be handed Node's `inspect`.
    const text = formatWithOptions({ customInspect: false }, ...values);
    writer(
      level,
      text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (cut)` : text,
    );
  };

export type Console = {
  readonly [method in 'debug' | 'error' | 'info' | 'log' | 'trace' | 'warn']: (
    ...values: readonly unknown[]
  ) => void;
};

/** A console that has no power but to write formatted text to its sink. */
export const makeConsole = (to: () => ConsoleSink | undefined): Console =>
  harden({
    debug: writeAt('debug', to),
    error: writeAt('error', to),
    info: writeAt('info', to),
    log: writeAt('info', to),
    trace: writeAt('debug', to),
    warn: writeAt('warn', to),
  });
harden(makeConsole);

const nothing = (): void => undefined;

// Libraries may call any method of a console: those that only decorate do nothing.
const controlled: Record<string, unknown> = { ...makeConsole(() => sink) };
for (const method of Object.keys(console)) {
  controlled[method] ??= nothing;
}
Object.defineProperty(globalThis, 'console', {
  value: controlled,
  writable: true,
  configurable: true,
  enumerable: false,
});
