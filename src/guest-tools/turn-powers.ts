import type { Directory, Mail, Parcel } from '../endo/guest.ts';
import type { AdmittedPath, NameGate } from '../endo/name-gate.ts';
import type { AdoptedTools } from '../tool/adopted-tools.ts';

/**
 * The mail that one turn may touch. A turn of the HOST reaches all of it; a
 * turn of anyone else only what was exchanged with that correspondent, and it
 * adopts only under `from-<correspondent>/`. The tools do not know which they
 * have: the limits are in the object.
 */
export type TurnMail = {
  readonly list: () => Promise<readonly Mail[]>;
  readonly send: (
    recipient: AdmittedPath,
    parcel: AdmittedParcel,
  ) => Promise<void>;
  readonly reply: (number: bigint, parcel: AdmittedParcel) => Promise<void>;
  /** Resolves to the path under which the value is now named. */
  readonly adopt: (
    number: bigint,
    edgeName: string,
    path: AdmittedPath,
    options: { readonly replace: boolean },
  ) => Promise<readonly string[]>;
  /** `deferred`: it is the message being answered, and goes when the turn ends. */
  readonly dismiss: (number: bigint) => Promise<'dismissed' | 'deferred'>;
  /** Answer a request with what the path names. */
  readonly resolve: (number: bigint, path: AdmittedPath) => Promise<void>;
  /** Refuse a request or a counter-proposal. */
  readonly reject: (number: bigint, reason: string) => Promise<void>;
};

/** An own proposal or request that lies in both mailboxes. */
export type Asked = { readonly number: bigint };

/**
 * What others decide. Resolves as soon as it is asked; the outcome becomes a
 * turn of its own, perhaps much later.
 */
export type TurnAsking = {
  /** Propose code to the HOST. `petNames[i]` is the value of `codeNames[i]`. */
  readonly propose: (proposal: {
    readonly source: string;
    readonly codeNames: readonly string[];
    readonly petNames: readonly AdmittedPath[];
    readonly resultName: AdmittedPath | undefined;
  }) => Promise<Asked>;
  readonly request: (
    recipient: AdmittedPath,
    description: string,
    responseName: AdmittedPath,
  ) => Promise<Asked>;
  /** Whether the outcome of something that is open will have this name. */
  readonly isPromised: (path: AdmittedPath) => boolean;
};

/** The tools beside the static ones. */
export type Toolbox = Pick<AdoptedTools, 'adopt'>;

export type AdmittedParcel = Omit<Parcel, 'petNames'> & {
  readonly petNames: readonly AdmittedPath[];
};

/** Everything that the static tools of one turn hold. */
export type TurnPowers = {
  readonly directory: Directory;
  readonly mail: TurnMail;
  readonly asking: TurnAsking;
  readonly toolbox: Toolbox;
  readonly names: NameGate;
  /**
   * Who has this handle id, for the model to read: `HOST` for the host's id and
   * no other, `you`, a pet name in quotes (`"bob"`), or `unknown-<6 hex>`.
   */
  readonly describe: (id: string) => Promise<string>;
  /** The daemon's help for a guest's methods. */
  readonly help: (method?: string) => Promise<string>;
};
