/**
 * What the command line uses of an Endo daemon, as types of the far references
 * (generation A, see docs/protocol.md). Nothing here is checked at run time:
 * the daemon guards its own methods and names a bad argument itself.
 */

export type NameOrPath = string | readonly string[];

/** A message as the protocol sends it; further keys depend on `type`. */
export type WireMessage = {
  readonly type: string;
  readonly number: bigint;
  readonly messageId: string;
  readonly replyTo?: string;
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly [key: string]: unknown;
};

export type RemoteIterator<T> = {
  next: () => Promise<IteratorResult<T, undefined>>;
  return: () => Promise<IteratorResult<T, undefined>>;
};

type RemoteDirectory = {
  has: (...path: string[]) => Promise<boolean>;
  identify: (...path: string[]) => Promise<string | undefined>;
  reverseIdentify: (id: string) => Promise<readonly string[]>;
  locate: (...path: string[]) => Promise<string | undefined>;
  list: (...path: string[]) => Promise<readonly string[]>;
  lookup: (nameOrPath: NameOrPath) => Promise<unknown>;
  remove: (...path: string[]) => Promise<void>;
  move: (from: NameOrPath, to: NameOrPath) => Promise<void>;
  copy: (from: NameOrPath, to: NameOrPath) => Promise<void>;
  makeDirectory: (nameOrPath: NameOrPath) => Promise<unknown>;
  storeValue: (value: unknown, nameOrPath: NameOrPath) => Promise<void>;
};

type RemoteMailbox = {
  listMessages: () => Promise<readonly WireMessage[]>;
  /** @param after - a number, to have only what is after it; not on Endo's */
  followMessages: (after?: bigint) => Promise<RemoteIterator<WireMessage>>;
  send: (
    to: NameOrPath,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly NameOrPath[],
  ) => Promise<void>;
  reply: (
    number: bigint,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly NameOrPath[],
  ) => Promise<void>;
  adopt: (
    number: bigint,
    edgeName: string,
    petName: NameOrPath,
  ) => Promise<void>;
  dismiss: (number: bigint) => Promise<void>;
  /** Resolves to the answer, however late. */
  request: (
    to: NameOrPath,
    description: string,
    responseName?: NameOrPath,
  ) => Promise<unknown>;
  resolve: (number: bigint, nameOrPath: NameOrPath) => Promise<void>;
  reject: (number: bigint, reason?: string) => Promise<void>;
};

type RemoteCode = {
  /** A host runs the code. A guest proposes it: the result comes when granted. */
  evaluate: (
    workerName: NameOrPath | undefined,
    source: string,
    codeNames: readonly string[],
    petNames: readonly NameOrPath[],
    resultName?: NameOrPath,
  ) => Promise<unknown>;
};

/** A host or a guest: whoever the command line acts as. */
export type RemoteAgent = RemoteDirectory & RemoteMailbox & RemoteCode;

type NewAgentOptions = {
  readonly agentName: string;
  readonly introducedNames: Readonly<Record<string, string>>;
};

/** What a host can do besides. */
export type RemoteHost = RemoteAgent & {
  provideGuest: (name: string, options: NewAgentOptions) => Promise<unknown>;
  provideHost: (name: string, options: NewAgentOptions) => Promise<unknown>;
  makeUnconfined: (
    workerName: NameOrPath | undefined,
    specifier: string,
    options: {
      readonly powersName: NameOrPath;
      readonly resultName?: NameOrPath;
      readonly env: Readonly<Record<string, string>>;
    },
  ) => Promise<unknown>;
  cancel: (nameOrPath: NameOrPath, reason?: Error) => Promise<void>;
  /** Runs the code of a proposal; resolves to its value. */
  grantEvaluate: (number: bigint) => Promise<unknown>;
  counterEvaluate: (
    number: bigint,
    source: string,
    codeNames: readonly string[],
    petNames: readonly NameOrPath[],
    workerName?: NameOrPath,
    resultName?: NameOrPath,
  ) => Promise<unknown>;
};

/** The bootstrap object of the socket. */
export type RemoteEndo = {
  ping: () => Promise<unknown>;
  terminate: () => Promise<void>;
  host: () => Promise<RemoteAgent>;
};

export type TurnOutcome = 'answered' | 'silent' | 'failed' | 'waiting';

export type ControllerStatus = {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly openTurns: bigint;
  readonly tokens: {
    readonly input: bigint;
    readonly cached: bigint;
    readonly output: bigint;
  };
};

/** What the agent's caplet shows to those who hold it: the host. */
export type RemoteController = {
  whenSettled: (
    messageId: string,
  ) => Promise<{ readonly outcome: TurnOutcome }>;
  interrupt: () => Promise<bigint>;
  status: () => Promise<ControllerStatus>;
};
