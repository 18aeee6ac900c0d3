import { makeExo } from '@endo/exo';
import { M } from '@endo/patterns';
import { directoryGuards, makeFakeDirectoryMethods } from './fake-directory.ts';
import { makeFakeFormulas } from './fake-formulas.ts';
import { makeFakeMailMethods, makeFakePost } from './fake-mailbox.ts';
import type { NameOrPath } from './fake-names.ts';

/**
 * An in-memory world of one host and its guests, which speak the protocol of
 * generation A as far references. Microtasks only: nothing waits for a clock.
 */

const TextShape = M.string({ stringLengthLimit: 4_000_000 });
const NameOrPathShape = M.or(M.string(), M.arrayOf(M.string()));
const ParcelShapes = harden([
  M.arrayOf(TextShape),
  M.arrayOf(M.string()),
  M.arrayOf(NameOrPathShape),
]);

const agentGuards = harden({
  ...directoryGuards,
  storeValue: M.call(M.any(), NameOrPathShape).returns(M.promise()),
  help: M.call().optional(M.string()).returns(M.promise()),
  listMessages: M.call().returns(M.promise()),
  followMessages: M.call().returns(M.promise()),
  send: M.call(NameOrPathShape, ...ParcelShapes).returns(M.promise()),
  reply: M.call(M.bigint(), ...ParcelShapes).returns(M.promise()),
  adopt: M.call(M.bigint(), M.string(), NameOrPathShape).returns(M.promise()),
  dismiss: M.call(M.bigint()).returns(M.promise()),
  dismissAll: M.call().returns(M.promise()),
  request: M.call(NameOrPathShape, TextShape)
    .optional(NameOrPathShape)
    .returns(M.promise()),
  resolve: M.call(M.bigint(), NameOrPathShape).returns(M.promise()),
  reject: M.call(M.bigint()).optional(TextShape).returns(M.promise()),
  evaluate: M.call(
    M.or(M.undefined(), NameOrPathShape),
    TextShape,
    M.arrayOf(M.string()),
    M.arrayOf(NameOrPathShape),
  )
    .optional(NameOrPathShape)
    .returns(M.promise()),
});

/** Methods of the mailbox that only a HOST has. */
const OF_HOSTS: readonly string[] = ['grantEvaluate', 'counterEvaluate'];

const GuestI = M.interface('EndoGuest', agentGuards);
/** As Hob's daemon has them: Endo's guests say nothing of guarantees. */
const HobGuestI = M.interface('Guest', {
  ...agentGuards,
  guarantees: M.call().returns(M.promise()),
});
const GUARANTEES = harden({ mail: 'exactly-once', grants: 'at-most-once' });
const HostI = M.interface('EndoHost', {
  ...agentGuards,
  grantEvaluate: M.call(M.bigint()).returns(M.promise()),
  counterEvaluate: M.call(
    M.bigint(),
    TextShape,
    M.arrayOf(M.string()),
    M.arrayOf(NameOrPathShape),
  )
    .optional(M.or(M.undefined(), NameOrPathShape), NameOrPathShape)
    .returns(M.promise()),
  provideGuest: M.call(M.string())
    .optional(
      M.splitRecord(
        {},
        {
          agentName: M.string(),
          introducedNames: M.recordOf(M.string(), M.string()),
        },
        {},
      ),
    )
    .returns(M.promise()),
});
const HandleI = M.interface('EndoHandle', {});
const InnerI = M.interface('Inner', {});

type Call = (...args: never[]) => unknown;

/** What a test turns and reads at one agent. Counts each call as it arrives. */
export type FakeControl = {
  /** Calls so far, by method. */
  readonly calls: { readonly [method: string]: number };
  /** All calls so far, in order. */
  readonly log: readonly string[];
  /** When set, each call waits for what this returns before it does anything. */
  delay: ((method: string) => Promise<void>) | undefined;
  /** The next call of this method rejects, and does nothing. */
  readonly failNext: (method: string, reason?: Error) => void;
  /** The next call of this method does its work, and is never answered. */
  readonly loseAnswer: (method: string) => void;
  /**
   * When set, takes each own copy in the place of the mailbox, which has it
   * only when `arrive` is called: late, or never. The recipient has his.
   */
  ownCopy: ((arrive: () => void) => void) | undefined;
  /** Forgets the calls so far. */
  readonly resetCalls: () => void;
};

const makeControl = () => {
  const counts = new Map<string, number>();
  const log: string[] = [];
  const failures = new Map<string, Error>();
  const lost = new Set<string>();
  const control: FakeControl = {
    get calls() {
      return Object.fromEntries(counts);
    },
    log,
    delay: undefined,
    failNext: (method, reason = Error(`${method} failed, as the test asked`)) =>
      void failures.set(method, reason),
    loseAnswer: (method) => void lost.add(method),
    ownCopy: undefined,
    resetCalls: () => {
      log.length = 0;
      counts.clear();
    },
  };
  const watch = <M extends { readonly [method: string]: Call }>(
    methods: M,
  ): M => {
    const watched = Object.entries(methods).map(([method, run]) => [
      method,
      async (...args: never[]) => {
        counts.set(method, (counts.get(method) ?? 0) + 1);
        log.push(method);
        if (control.delay !== undefined) await control.delay(method);
        const failure = failures.get(method);
        failures.delete(method);
        if (failure !== undefined) throw failure;
        const isLost = lost.delete(method);
        const answer = await run(...args);
        return isLost ? new Promise(() => undefined) : answer;
      },
    ]);
    return Object.fromEntries(watched) as M;
  };
  return { control, watch };
};

export type FakeAgent = {
  /** Far reference with the methods of generation A. */
  readonly powers: object;
  readonly control: FakeControl;
  readonly agentId: string;
  readonly handleId: string;
  /** Binds a name to any value, also to remotables no daemon has seen. */
  readonly put: (path: NameOrPath, value: unknown) => Promise<void>;
};

export type FakeGuest = FakeAgent & {
  /** The same as `powers`. */
  readonly guest: object;
  /** The pet name of the guest's handle in the host's directory. */
  readonly handleName: string;
  readonly agentName: string;
};

export type FakeWorld = {
  /** Far reference to the host. */
  readonly host: object;
  readonly hostAgent: FakeAgent;
  /** The guest of this handle name; made when it is new. Named `<name>-agent`. */
  readonly makeGuest: (handleName: string) => Promise<FakeGuest>;
  /** The daemon has ended while the granted code of this proposal ran. */
  readonly loseProposal: (messageId: string) => void;
  /** Code put to a guest by one who is not its HOST; no daemon lets him. */
  readonly forgeProposal: (forged: {
    readonly from: string;
    readonly to: string;
    readonly source: string;
    readonly replyTo: string;
  }) => Promise<void>;
};

export type FakeWorldOptions = {
  /** Without the weak points of Endo's own daemon, as Hob's is. */
  readonly strict?: boolean;
};

export const makeFakeWorld = (options: FakeWorldOptions = {}): FakeWorld => {
  const { strict = true } = options;
  const formulas = makeFakeFormulas();
  const post = makeFakePost(formulas, strict);
  const guests = new Map<string, FakeGuest>();

  const makeAgentParts = (specialOf: {
    readonly agentId: string;
    readonly handleId: string;
    readonly hostHandleId: string;
    readonly control: FakeControl;
  }) => {
    const { agentId, handleId, hostHandleId, control } = specialOf;
    formulas.provide(makeExo('EndoHandle', HandleI, {}), handleId);
    const specials = new Map([
      ['AGENT', agentId],
      ['SELF', handleId],
      ['HOST', hostHandleId],
      ['KEYPAIR', formulas.provide(makeExo('Keypair', InnerI, {}))],
      ['MAIL', formulas.provide(makeExo('MailHub', InnerI, {}))],
    ]);
    const directory = makeFakeDirectoryMethods({ formulas, specials, strict });
    const mail = makeFakeMailMethods(post, handleId, directory, (arrive) =>
      control.ownCopy === undefined ? arrive() : control.ownCopy(arrive),
    );
    const methods = harden({
      ...directory,
      ...mail,
      // The copy is made of the value as it was when it was sent.
      storeValue: async (value: unknown, path: NameOrPath) =>
        directory.write(path, formulas.provide(formulas.copyOf(value))),
      help: (method?: string) =>
        Promise.resolve(
          method === undefined
            ? 'A guest of the fake world. Methods: as generation A.'
            : `${method}: a method of a guest of the fake world.`,
        ),
    });
    const put = (path: NameOrPath, value: unknown): Promise<void> =>
      directory.write(path, formulas.provide(value));
    return { methods, put };
  };

  const hostIds = {
    agentId: formulas.makeId(),
    handleId: formulas.makeId(),
  };
  const { control: hostControl, watch: watchHost } = makeControl();
  const hostParts = makeAgentParts({
    ...hostIds,
    hostHandleId: hostIds.handleId,
    control: hostControl,
  });

  const makeGuest = async (
    handleName: string,
    agentName = `${handleName}-agent`,
  ): Promise<FakeGuest> => {
    const known = guests.get(handleName);
    if (known !== undefined) return known;
    const ids = { agentId: formulas.makeId(), handleId: formulas.makeId() };
    const { control, watch } = makeControl();
    const { methods, put } = makeAgentParts({
      ...ids,
      hostHandleId: hostIds.handleId,
      control,
    });
    const guarantees = (): Promise<unknown> => Promise.resolve(GUARANTEES);
    const guestMethods = Object.entries(
      watch({ ...methods, ...(strict ? { guarantees } : {}) }),
    ).filter(([name]) => !OF_HOSTS.includes(name));
    const powers = makeExo(
      'EndoGuest',
      strict ? HobGuestI : GuestI,
      Object.fromEntries(guestMethods) as typeof methods,
    );
    formulas.provide(powers, ids.agentId);
    const guest = {
      powers,
      guest: powers,
      control,
      put,
      handleName,
      agentName,
    };
    guests.set(handleName, { ...ids, ...guest });
    await hostParts.methods.write(handleName, ids.handleId);
    await hostParts.methods.write(agentName, ids.agentId);
    return { ...ids, ...guest };
  };

  const host = makeExo(
    'EndoHost',
    HostI,
    watchHost({
      ...hostParts.methods,
      provideGuest: async (
        handleName: string,
        settings: {
          readonly agentName?: string;
          readonly introducedNames?: { readonly [name: string]: string };
        } = {},
      ) => {
        const made = await makeGuest(handleName, settings.agentName);
        const introduced = Object.entries(settings.introducedNames ?? {});
        for (const [hostName, guestName] of introduced) {
          const id = await hostParts.methods.identify(hostName);
          if (id === undefined) {
            throw Error(`Unknown pet name: ${hostName}`);
          }
          await made.put(guestName, formulas.valueOf(id));
        }
        return made.powers;
      },
    }),
  );
  formulas.provide(host, hostIds.agentId);

  return {
    host,
    hostAgent: {
      ...hostIds,
      powers: host,
      control: hostControl,
      put: hostParts.put,
    },
    makeGuest: (handleName) => makeGuest(handleName),
    loseProposal: (messageId) => {
      const proposal = post.proposals.get(messageId);
      if (proposal === undefined) throw Error('There is no such proposal');
      proposal.state = 'lost';
      proposal.fail(Error('granted, and lost: the daemon was stopped'));
    },
    forgeProposal: async ({ from, to, source, replyTo }) =>
      post.boxes.get(from)?.forge(to, source, replyTo),
  };
};
