/**
 * The one port through which the agent knows its daemon. Every generation of
 * the daemon is adapted to it (`generation.ts`), and so is the fake guest of
 * the tests; `test/contract/guest.ts` holds all of them to the same behaviour.
 *
 * Contract: each method is one call to the daemon, rejects with an `Error`
 * whose message names what was tried, and hands out hardened data only.
 */

/** A path of names from the guest's own directory: pet names, or special names. */
export type NamePath = readonly string[];

/** What a guest sees of a message, generation by generation made alike. */
export type MailBase = {
  /** Position in this guest's mailbox; what reply, adopt and dismiss take. */
  readonly number: bigint;
  /** 64 hexadecimal digits; the same in both mailboxes. */
  readonly messageId: string;
  /** The `messageId` that this one answers. */
  readonly replyTo?: string;
  /** Id of the sender's handle. */
  readonly from: string;
  /** Id of the recipient's handle. */
  readonly to: string;
  /** ISO 8601. */
  readonly date: string;
};

/** Text with values: `strings[0] @names[0] strings[1] @names[1] …`. */
export type PackageMail = MailBase & {
  readonly type: 'package';
  readonly strings: readonly string[];
  readonly names: readonly string[];
  readonly ids: readonly string[];
};

/** Somebody asks for a value. */
export type RequestMail = MailBase & {
  readonly type: 'request';
  readonly description: string;
  /** Formula id of the answer to come. */
  readonly promiseId?: string;
  /** As of the reading; daemons other than Hob's do not tell it. */
  readonly state?: AskState;
};

/** How far a proposal or a request has come. */
export type AskState =
  'open' | 'running' | 'granted' | 'failed' | 'rejected' | 'countered' | 'lost';

/** Code that somebody would have run with some values. */
export type ProposalContent = {
  readonly source: string;
  /** `codeNames[i]` is in the source the value of `ids[i]`. */
  readonly codeNames: readonly string[];
  readonly ids: readonly string[];
  /** The proposer's names for the values: to be shown, and no one else's names. */
  readonly petNamePaths: readonly NamePath[];
  /** Unique names by which the values can be adopted. */
  readonly edgeNames: readonly string[];
  /** Where the proposer wants the result. */
  readonly resultName?: NamePath;
  /** Formula id of the result to come. */
  readonly resultId?: string;
  /** As of the reading; daemons other than Hob's do not tell it. */
  readonly state?: AskState;
  /** `messageId` of the proposal that was made instead of this one. */
  readonly counteredBy?: string;
};

/** The proposer's own copy: the recipient decides. */
export type ProposalMail = MailBase & {
  readonly type: 'proposal';
} & ProposalContent;

/** Somebody else's proposal: for the HOST to decide; for a guest, a counter-proposal. */
export type ReviewMail = MailBase & {
  readonly type: 'review';
} & ProposalContent;

/** What somebody else decides. */
export type AskMail = ProposalMail | RequestMail;

/** What became of a proposal or a request. */
export type AskOutcome =
  | { readonly type: 'granted'; readonly value: unknown }
  /** It was granted, and the code failed. */
  | { readonly type: 'failed'; readonly error: string }
  | { readonly type: 'rejected'; readonly reason: string }
  /** The HOST proposes other code, in the message of this `messageId`. */
  | { readonly type: 'countered'; readonly by: string }
  /** It was granted, and the daemon ended while the code ran. */
  | { readonly type: 'lost'; readonly reason: string };

/** Any other type: kept whole in `kind`, shown to the model by its name only. */
export type OtherMail = MailBase & {
  readonly type: 'other';
  /** The daemon's own name of the type, such as `form-request`. */
  readonly kind: string;
};

export type Mail =
  PackageMail | RequestMail | ProposalMail | ReviewMail | OtherMail;

/** A name was bound (`id` is its value's) or taken away. */
export type NameChange =
  | { readonly type: 'added'; readonly name: string; readonly id: string }
  | { readonly type: 'removed'; readonly name: string };

/** What `send` and `reply` carry. `names[i]` is the value for `edgeNames[i]`. */
export type Parcel = {
  readonly strings: readonly string[];
  readonly edgeNames: readonly string[];
  readonly petNames: readonly NamePath[];
};

/** A stream from the daemon. `close` is idempotent and ends a waiting `next`. */
export type Following<T> = {
  readonly next: () => Promise<IteratorResult<T, undefined>>;
  readonly close: () => Promise<void>;
};

/** What a path names, as the daemon knows it. */
export type Located = {
  /** Formula id. */
  readonly id: string;
  /** The daemon's word for its kind: `guest`, `worker`, `marshal` … */
  readonly type: string;
};

export type Directory = {
  readonly has: (path: NamePath) => Promise<boolean>;
  /** The formula id of what the path names, `undefined` when it names nothing. */
  readonly identify: (path: NamePath) => Promise<string | undefined>;
  /** As `identify`, with the kind of what is there. */
  readonly locate: (path: NamePath) => Promise<Located | undefined>;
  /** Every name in the guest's own directory of the value with this id. */
  readonly reverseIdentify: (id: string) => Promise<readonly string[]>;
  readonly list: (path: NamePath) => Promise<readonly string[]>;
  readonly lookup: (path: NamePath) => Promise<unknown>;
  /** The value with this formula id, which need not be named here. */
  readonly lookupById: (id: string) => Promise<unknown>;
  readonly remove: (path: NamePath) => Promise<void>;
  readonly move: (from: NamePath, to: NamePath) => Promise<void>;
  readonly copy: (from: NamePath, to: NamePath) => Promise<void>;
  readonly makeDirectory: (path: NamePath) => Promise<void>;
  readonly storeValue: (value: unknown, path: NamePath) => Promise<void>;
  /**
   * All names that are there, as additions, then every change: of the guest's
   * own directory, or of the one at a path.
   */
  readonly followNameChanges: (path?: NamePath) => Following<NameChange>;
};

export type Mailbox = {
  readonly listMessages: () => Promise<readonly Mail[]>;
  /** The inbox as it is, oldest first, own messages included; then what comes. */
  readonly followMessages: () => Following<Mail>;
  readonly send: (to: NamePath, parcel: Parcel) => Promise<void>;
  readonly reply: (number: bigint, parcel: Parcel) => Promise<void>;
  readonly adopt: (
    number: bigint,
    edgeName: string,
    path: NamePath,
  ) => Promise<void>;
  readonly dismiss: (number: bigint) => Promise<void>;
  readonly request: (
    to: NamePath,
    description: string,
    responseName?: NamePath,
  ) => Promise<unknown>;
  readonly resolve: (number: bigint, path: NamePath) => Promise<void>;
  readonly reject: (number: bigint, reason?: string) => Promise<void>;
  /**
   * Propose code to the HOST. Resolves to its result when it was granted, which
   * may be never; rejects when nothing could be proposed, or as `outcomeOf`
   * tells better.
   */
  readonly evaluate: (
    workerName: NamePath | undefined,
    source: string,
    codeNames: readonly string[],
    petNames: readonly NamePath[],
    resultName?: NamePath,
  ) => Promise<unknown>;
  /**
   * What became of an own proposal or request; waits until that is decided.
   * Takes mail that this very port has read; makes a few calls. Rejects only
   * when the daemon is gone.
   */
  readonly outcomeOf: (mail: AskMail) => Promise<AskOutcome>;
};

export type Guest = Directory &
  Mailbox & {
    /** The daemon's own help text, of one method or of all. */
    readonly help: (method?: string) => Promise<string>;
    /** The guest's formula ids, asked once. */
    readonly identity: () => Promise<GuestIdentity>;
    /** What its daemon promises, asked once. Makes up to two calls. */
    readonly guarantees: () => Promise<Guarantees>;
  };

/** What holds whenever the daemon or the agent is killed. */
export type Guarantees = {
  /**
   * `exactly-once`: a message is in both mailboxes or in neither, and after a
   * restart one that is not there has never left.
   */
  readonly mail: 'exactly-once' | 'unknown';
  /** `at-most-once`: code that was granted never runs twice. */
  readonly grants: 'at-most-once' | 'unknown';
};

export type GuestIdentity = {
  /** Handle id of this guest: the `from` of its own messages. */
  readonly self: string;
  /** Handle id of the HOST. */
  readonly host: string;
  /**
   * Ids that would lead round the gate of names: the agent itself, its
   * keypair, its mail hub, its workers. Refused under whatever name.
   */
  readonly guarded: readonly string[];
  /** The special names of this generation, such as `SELF` or `@self`. */
  readonly specialNames: readonly string[];
};
