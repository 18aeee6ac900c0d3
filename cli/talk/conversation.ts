import { E } from '@endo/far';
import { CliError } from '../cli-error.ts';
import { followMail, isDecision, listMail } from '../mail.ts';
import type { RemoteAgent, WireMessage } from '../remote.ts';

/** What came from the agent. */
export type TalkEvent =
  /** A message of the conversation that is being had. */
  | { readonly type: 'answer'; readonly message: WireMessage }
  /** A message of another conversation. */
  | { readonly type: 'aside'; readonly message: WireMessage }
  /** Something that the person has to decide. */
  | { readonly type: 'decision'; readonly message: WireMessage };

export type Conversation = {
  /** Sends a line; resolves to its messageId once it lies in both mailboxes. */
  readonly say: (text: string) => Promise<string>;
  /** Resolves when the first answer to this message has come. */
  readonly firstAnswer: (messageId: string) => Promise<void>;
  /** Brings in what the mailbox holds and the stream has not told yet. */
  readonly catchUp: (messageId: string) => Promise<void>;
  /** Unsolicited mail counts as an answer between these two. */
  readonly setTurnRunning: (running: boolean) => void;
  /** Decisions that came since the start and are still open. */
  readonly openDecisions: () => Promise<readonly WireMessage[]>;
  readonly startNew: () => void;
  readonly continueAt: (number: bigint) => Promise<WireMessage>;
  /** Mail of the agent that lay in the inbox before. */
  readonly earlier: readonly WireMessage[];
  /** Rejects when the stream of mail breaks. */
  readonly broken: Promise<never>;
  readonly close: () => Promise<void>;
};

type Expected = {
  readonly text: string;
  readonly replyTo: string | undefined;
  readonly found: (messageId: string) => void;
};

const sameText = (message: WireMessage, text: string): boolean => {
  const strings = message['strings'];
  return Array.isArray(strings) && strings.length === 1 && strings[0] === text;
};

/** The ids of the two ends; the error says whom one could talk to. */
const identifyEnds = async (
  agent: RemoteAgent,
  peerName: string,
): Promise<{ self: string; peer: string }> => {
  const [self, peer] = await Promise.all([
    E(agent).identify('SELF'),
    E(agent).identify(peerName),
  ]);
  if (peer === undefined) {
    throw new CliError(
      `nobody here is called "${peerName}"; "list" shows the names, and "up" makes an agent`,
    );
  }
  if (self === undefined) {
    throw new CliError('the daemon does not say who you are (no name SELF)');
  }
  if (self === peer) throw new CliError(`"${peerName}" is you`);
  return { self, peer };
};

/**
 * The thread between a person and an agent: which of the mail belongs to it,
 * and what the next line answers.
 */
export const openConversation = async (
  agent: RemoteAgent,
  peerName: string,
  onEvent: (event: TalkEvent) => void,
): Promise<Conversation> => {
  const { self, peer } = await identifyEnds(agent, peerName);
  const before = await listMail(agent);
  const seen = new Set(before.map(({ number }) => number));
  const watermark = before.reduce(
    (highest, { number }) => (number > highest ? number : highest),
    -1n,
  );
  const thread = new Set<string>();
  const answered = new Set<string>();
  const waiting = new Map<string, () => void>();
  const decisions = new Map<bigint, { message: WireMessage; open: boolean }>();
  let last: WireMessage | undefined;
  let expected: Expected | undefined;
  let turnRunning = false;
  let newest = watermark;

  const admitOwn = (message: WireMessage): void => {
    if (
      expected !== undefined &&
      message.to === peer &&
      message.replyTo === expected.replyTo &&
      sameText(message, expected.text)
    ) {
      const { found } = expected;
      expected = undefined;
      thread.add(message.messageId);
      found(message.messageId);
    }
  };

  const admitDecision = (message: WireMessage): void => {
    const entry = { message, open: true };
    decisions.set(message.number, entry);
    const decided = (): void => {
      entry.open = false;
    };
    const settled = message['settled'];
    if (settled instanceof Promise) settled.then(decided, () => undefined);
    // A decision that was dismissed needs none any more.
    const { dismissed } = message;
    if (dismissed instanceof Promise) dismissed.then(decided, () => undefined);
    onEvent({ type: 'decision', message });
  };

  const admit = (message: WireMessage): void => {
    if (message.number <= watermark || seen.has(message.number)) return;
    seen.add(message.number);
    if (message.from === self) {
      admitOwn(message);
      return;
    }
    if (message.from !== peer) return;
    if (isDecision(message)) {
      admitDecision(message);
      for (const tell of waiting.values()) tell();
      return;
    }
    const { replyTo } = message;
    const ours = replyTo === undefined ? turnRunning : thread.has(replyTo);
    if (!ours) {
      onEvent({ type: 'aside', message });
      return;
    }
    thread.add(message.messageId);
    last = message;
    onEvent({ type: 'answer', message });
    if (replyTo !== undefined) {
      answered.add(replyTo);
      waiting.get(replyTo)?.();
    }
  };

  const follower = await followMail(agent);
  let closing = false;
  const pump = async (): Promise<never> => {
    for (;;) {
      const message = await follower.next();
      if (message === undefined) {
        if (closing) return new Promise<never>(() => undefined);
        throw new CliError('the daemon ended the stream of mail');
      }
      newest = message.number;
      admit(message);
    }
  };
  const broken = pump();
  broken.catch(() => undefined);

  const say = async (text: string): Promise<string> => {
    const replyTo = last?.messageId;
    const found = new Promise<string>((resolve) => {
      expected = { text, replyTo, found: resolve };
    });
    if (last === undefined) await E(agent).send(peerName, [text], [], []);
    else await E(agent).reply(last.number, [text], [], []);
    return Promise.race([found, broken]);
  };

  return harden({
    say,
    firstAnswer: (messageId: string) =>
      new Promise<void>((resolve) => {
        if (answered.has(messageId)) resolve();
        else waiting.set(messageId, resolve);
      }),
    catchUp: async (messageId: string) => {
      // The stream is asked before what we ask here: when a round trip brings
      // nothing more, all has been told. Listing the mailbox would cost as
      // much as it is long, for every line.
      let told: bigint;
      do {
        told = newest;
        await E(agent).has('SELF');
      } while (newest !== told);
      // An answer may have come by another way than a reply, or not yet.
      if (answered.has(messageId)) return;
      for (const message of await listMail(agent)) admit(message);
    },
    setTurnRunning: (running: boolean) => {
      turnRunning = running;
    },
    openDecisions: async () => {
      // One round trip later, what was settled before has been told.
      await E(agent).has('SELF');
      return [...decisions.values()]
        .filter(({ open }) => open)
        .map(({ message }) => message);
    },
    startNew: () => {
      last = undefined;
      thread.clear();
    },
    continueAt: async (number: bigint) => {
      const messages = await listMail(agent);
      const message = messages.find((each) => each.number === number);
      if (message === undefined || message.from !== peer) {
        throw new CliError(
          `#${number} is not a message from "${peerName}"; /inbox shows the numbers`,
        );
      }
      thread.clear();
      thread.add(message.messageId);
      last = message;
      return message;
    },
    earlier: before.filter(({ from }) => from === peer),
    broken,
    close: async () => {
      closing = true;
      await follower.close();
    },
  });
};
harden(openConversation);
