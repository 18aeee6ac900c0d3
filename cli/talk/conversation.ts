import { E } from '@endo/far';
import { CliError } from '../cli-error.ts';
import { isDecision, isOpen } from '../decisions.ts';
import { followMail, listMail, makeNamer } from '../mail.ts';
import type { NamedMessage } from '../mail.ts';
import type { RemoteAgent, WireMessage } from '../remote.ts';
import { makeTrackedDecisions } from './tracked-decisions.ts';

/** What came from the agent. */
export type TalkEvent =
  /** A message of the conversation that is being had. */
  | { readonly type: 'answer'; readonly message: WireMessage }
  /** A message of another conversation. */
  | { readonly type: 'aside'; readonly message: WireMessage }
  /** Something that the person has to decide. */
  | { readonly type: 'decision'; readonly message: NamedMessage };

export type Conversation = {
  /** Sends a line; resolves to its messageId once it lies in both mailboxes. */
  readonly say: (text: string) => Promise<string>;
  /** Resolves when the first answer to this message has come. */
  readonly firstAnswer: (messageId: string) => Promise<void>;
  /** Brings in what the mailbox holds and the stream has not told yet. */
  readonly catchUp: (messageId?: string) => Promise<void>;
  /** Unsolicited mail counts as an answer between these two. */
  readonly setTurnRunning: (running: boolean) => void;
  /** Decisions that came since the start and are still open. */
  readonly openDecisions: () => Promise<readonly WireMessage[]>;
  /** All that are open, also from before. */
  readonly allOpen: () => Promise<readonly NamedMessage[]>;
  readonly startNew: () => void;
  readonly continueAt: (number: bigint) => Promise<WireMessage>;
  /** Mail of the agent that lay in the inbox before. */
  readonly earlier: readonly WireMessage[];
  /** How many of those wait for a decision. */
  readonly earlierOpen: number;
  /** Rejects when the stream of mail breaks. */
  readonly broken: Promise<never>;
  readonly close: () => Promise<void>;
};

/** Calls of `next` under way while the mailbox is told from its beginning. */
const REPLAY_BATCH = 50;

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
  const named = makeNamer(agent);
  const thread = new Set<string>();
  const answered = new Set<string>();
  const waiting = new Map<string, () => void>();
  const decisions = makeTrackedDecisions(agent);
  let last: WireMessage | undefined;
  let expected: Expected | undefined;
  let turnRunning = false;
  let newest = watermark;

  const isOpenDecision = (message: WireMessage): boolean =>
    message.from === peer && isDecision(message) && isOpen(message);

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

  for (const message of before.filter(isOpenDecision)) {
    decisions.track(message, true);
  }

  // Since the turn began that is waited for.
  let told = 0;
  const tell = (event: TalkEvent): void => {
    told += 1;
    onEvent(event);
  };

  const admitNow = async (message: WireMessage): Promise<void> => {
    if (message.number <= watermark || seen.has(message.number)) return;
    seen.add(message.number);
    if (message.from === self) {
      admitOwn(message);
      return;
    }
    if (message.from !== peer) return;
    if (isDecision(message)) {
      decisions.track(message, false);
      tell({ type: 'decision', message: await named(message) });
      for (const answer of waiting.values()) answer();
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
    tell({ type: 'answer', message });
    if (replyTo !== undefined) {
      answered.add(replyTo);
      waiting.get(replyTo)?.();
    }
  };

  // One at a time and in order, though a decision waits for its names.
  let admitted: Promise<void> = Promise.resolve();
  const admit = (message: WireMessage): Promise<void> => {
    admitted = admitted.then(() => admitNow(message));
    return admitted;
  };

  const follower = await followMail(agent, watermark);
  let closing = false;
  const pump = async (): Promise<never> => {
    // What was there before comes again: asked for in batches, so that a long
    // mailbox costs its length once and not a round trip for each message.
    const asked: ReturnType<typeof follower.next>[] = [];
    const replayed = follower.replays ? before.length : 0;
    for (let left = replayed; ; left -= 1) {
      const ahead = Math.max(1, Math.min(REPLAY_BATCH, left));
      while (asked.length < ahead) {
        const next = follower.next();
        // Heard when its turn comes; of a lost connection, the first is enough.
        next.catch(() => undefined);
        asked.push(next);
      }
      const message = await asked.shift();
      if (message === undefined) {
        if (closing) return new Promise<never>(() => undefined);
        throw new CliError('the daemon ended the stream of mail');
      }
      newest = message.number;
      await admit(message);
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
    catchUp: async (messageId?: string) => {
      // The stream is asked before what we ask here: when a round trip brings
      // nothing more, all has been told. Listing the mailbox would cost as
      // much as it is long, for every line.
      let reached: bigint;
      do {
        reached = newest;
        await E(agent).has('SELF');
        await admitted;
      } while (newest !== reached);
      // An answer may have come by another way than a reply, or not yet.
      if (messageId === undefined ? told > 0 : answered.has(messageId)) return;
      for (const message of await listMail(agent)) await admit(message);
    },
    setTurnRunning: (running: boolean) => {
      turnRunning = running;
      if (running) told = 0;
    },
    openDecisions: async () =>
      (await decisions.open())
        .filter(({ isEarlier }) => !isEarlier)
        .map(({ message }) => message),
    allOpen: async () =>
      Promise.all(
        (await decisions.open()).map(({ message }) => named(message)),
      ),
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
      // What became of a proposal is told in reply to what had it made.
      if (message.replyTo !== undefined) thread.add(message.replyTo);
      last = message;
      return message;
    },
    earlier: before.filter(({ from }) => from === peer),
    earlierOpen: before.filter(isOpenDecision).length,
    broken,
    close: async () => {
      closing = true;
      await follower.close();
    },
  });
};
harden(openConversation);
