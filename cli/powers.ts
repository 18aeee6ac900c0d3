import type { Files } from './files.ts';
import type { RemoteEndo } from './remote.ts';

/** One way out of the program: standard output or standard error. */
export type Output = {
  readonly write: (text: string) => void;
  readonly isTTY: boolean;
  /** Width of the terminal; 80 where there is none. */
  readonly columns: number;
};

/** Lines from the person, or from a pipe. */
export type LineSource = {
  readonly isTTY: boolean;
  /** Shows the prompt on a terminal, resolves to `undefined` at the end. */
  readonly next: () => Promise<string | undefined>;
  /** Prints above a prompt that may be showing. */
  readonly print: (output: Output, text: string) => void;
  /** A passing remark such as `… thinking`; `undefined` takes it away. */
  readonly status: (text: string | undefined) => void;
  readonly close: () => void;
};

export type DaemonPaths = {
  readonly statePath: string;
  readonly socketPath: string;
  readonly logPath: string;
  readonly databasePath: string;
};

export type Connection = {
  readonly endo: RemoteEndo;
  /** Settles when the daemon is gone or `close` was called. */
  readonly closed: Promise<unknown>;
  readonly close: () => unknown;
};

/** How the start of a daemon ended. */
export type SpawnOutcome =
  | { readonly type: 'ready'; readonly pid: number }
  | { readonly type: 'failed'; readonly message: string };

/** `ctrl-c` may be a wish to stop only what runs; `terminate` is not. */
export type InterruptHandler = (how: 'ctrl-c' | 'terminate') => void;

/** All that the commands can do to the world, handed down from `main.ts`. */
export type CliPowers = {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: DaemonPaths;
  /** The daemon that `spawnDaemon` starts. */
  readonly program: {
    readonly version: string;
    /** Path of its entry. */
    readonly source: string;
  };
  /** Rejects when nothing answers at the socket. */
  readonly connect: () => Promise<Connection>;
  /** Contract: never rejects; ends within its own deadline. */
  readonly spawnDaemon: () => Promise<SpawnOutcome>;
  readonly readLog: () => Promise<string | undefined>;
  /** @param prompt - what a terminal shows before the cursor */
  readonly openLines: (prompt?: string) => LineSource;
  readonly files: Files;
  /** Whether a process of that id runs. */
  readonly isRunning: (pid: number) => boolean;
  /** Sets a variable that an imported script will see. */
  readonly setVariable: (name: string, value: string) => void;
  /** Imports a module named relative to the current folder. */
  readonly importScript: (
    script: string,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Runs `body` with the standard output of scripts on standard error. */
  readonly withScriptsOnStderr: <T>(body: () => Promise<T>) => Promise<T>;
  /** URL of the script that provisions the agent. */
  readonly setupScript: string;
  /** Calls `handler` at a Ctrl-C or a request to end; returns what ends that. */
  readonly onInterrupt: (handler: InterruptHandler) => () => void;
  /** Calls `fire` after so many milliseconds; returns what cancels it. */
  readonly after: (ms: number, fire: () => void) => () => void;
};

/** What was typed: the verb's own arguments and options. */
export type Invocation = {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  /** Pet name of the agent to act as; the host when absent. */
  readonly as?: string;
};

export type CommandSpec = {
  /** One word, or a group and a word: `agent remove`. */
  readonly name: string;
  readonly summary: string;
  /** In commander's notation: `<agent>`, `[path]`, `<text...>`. */
  readonly args?: readonly { readonly syntax: string; readonly help: string }[];
  readonly options?: readonly {
    readonly flags: string;
    readonly help: string;
    /** May be given more than once; the option's value is then an array. */
    readonly repeated?: boolean;
  }[];
  /** An argument is free text and may begin with a dash. */
  readonly freeText?: boolean;
  readonly examples?: readonly string[];
};

export type Command = {
  readonly spec: CommandSpec;
  /** Resolves to the exit code. */
  readonly run: (powers: CliPowers, call: Invocation) => Promise<number>;
};
