import { Far } from '@endo/far';
import { describe, expect, it } from 'vitest';
import type { RemoteAgent, WireMessage } from '../../cli/remote.ts';
import { openConversation } from '../../cli/talk/conversation.ts';
import type { TalkEvent } from '../../cli/talk/conversation.ts';
import { makeTurnWatch } from '../../cli/talk/turn-watch.ts';

const forever = new Promise<never>(() => undefined);

const message = (
  number: bigint,
  from: string,
  text: string,
  replyTo?: string,
): WireMessage =>
  harden({
    type: 'package',
    number,
    messageId: `id-${number}`,
    from,
    to: from === 'me' ? 'peer' : 'me',
    date: '2026-01-01T00:00:00.000Z',
    strings: [text],
    names: [],
    ids: [],
    ...(replyTo === undefined ? {} : { replyTo }),
  });

/** A host whose stream of mail tells only what `stream` puts into it. */
const makeHost = (controller?: unknown) => {
  const mailbox: WireMessage[] = [];
  const told: WireMessage[] = [];
  let wake: (() => void) | undefined;
  let waiting = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const stream = (each: WireMessage): void => {
    told.push(each);
    wake?.();
  };
  const take = async (): Promise<IteratorResult<WireMessage, undefined>> => {
    while (told.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    waiting -= 1;
    return harden({ done: false, value: told.shift() as WireMessage });
  };
  const iterator = Far('Iterator', {
    next: () => {
      waiting += 1;
      const next = turn.then(take);
      turn = next;
      return next;
    },
    return: () => Promise.resolve(),
  });
  const host = Far('Host', {
    has: (name: string) =>
      Promise.resolve(controller !== undefined && name.startsWith('control')),
    lookup: () => Promise.resolve(controller),
    identify: (name: string) =>
      Promise.resolve(name === 'SELF' ? 'me' : 'peer'),
    listMessages: () => Promise.resolve(harden([...mailbox])),
    // As on Endo's daemon, which cannot begin after a message.
    followMessages: (after?: bigint) =>
      after === undefined
        ? Promise.resolve(iterator)
        : Promise.reject(Error('Expected at most 0 arguments')),
    send: (_to: string, [text = '']: readonly string[]) => {
      const sent = message(BigInt(mailbox.length), 'me', text);
      mailbox.push(sent);
      stream(sent);
      return Promise.resolve();
    },
  });
  return {
    host: host as unknown as RemoteAgent,
    mailbox,
    stream,
    waits: () => waiting,
  };
};

const powers = {
  stderr: { write: () => undefined, isTTY: false, columns: 80 },
  after: (_ms: number, fire: () => void) => {
    queueMicrotask(fire);
    return () => undefined;
  },
};

const watchOf = async (methods: {
  readonly whenSettled?: () => Promise<{ outcome: string }>;
  readonly interrupt?: () => Promise<bigint>;
}) => {
  const controller = Far('Controller', {
    __getMethodNames__: () => Promise.resolve(harden(['whenSettled'])),
    whenSettled: methods.whenSettled ?? (() => forever),
    interrupt: methods.interrupt ?? (() => Promise.resolve(0n)),
  });
  const { host } = makeHost(controller);
  const conversation = await openConversation(host, 'hob', () => undefined);
  return makeTurnWatch(powers, host, 'hob', conversation);
};

describe('stopping a turn', () => {
  it('waits for mail that is not a turn yet', async () => {
    let calls = 0n;
    const watch = await watchOf({
      interrupt: () => {
        calls += 1n;
        return Promise.resolve(calls > 2n ? 1n : 0n);
      },
    });
    expect(await watch.interrupt(() => true)).toBe('stopped');
    expect(calls).toBe(3n);
  });

  it('ends when the turn has ended by itself', async () => {
    const watch = await watchOf({});
    expect(await watch.interrupt(() => false)).toBe('stopped');
  });

  it('says so when no turn begins', async () => {
    const watch = await watchOf({});
    expect(await watch.interrupt(() => true)).toBe('nothing');
  });
});

describe('waiting for a turn', () => {
  it('asks again when the worker of the agent was replaced', async () => {
    let calls = 0;
    const watch = await watchOf({
      whenSettled: () => {
        calls += 1;
        return calls === 1
          ? Promise.reject(Error('the worker ended'))
          : Promise.resolve(harden({ outcome: 'answered' }));
      },
    });
    expect(await watch.settled('id-0')).toBe('answered');
  });

  it('gives up in words when the agent stays away', async () => {
    const watch = await watchOf({
      whenSettled: () => Promise.reject(Error('the worker ended')),
    });
    await expect(watch.settled('id-0')).rejects.toThrow(
      /stopped in the middle of a turn: the worker ended; your message is kept/u,
    );
  });
});

describe('a conversation', () => {
  it('has a long mailbox told in batches, and what comes one by one', async () => {
    const { host, mailbox, stream, waits } = makeHost();
    for (let n = 0n; n < 200n; n += 1n) {
      mailbox.push(message(n, 'peer', 'old'));
    }
    const events: TalkEvent[] = [];
    const { catchUp } = await openConversation(host, 'hob', (event) =>
      events.push(event),
    );
    expect(waits()).toBe(50);
    for (const each of mailbox) stream(each);
    const fresh = message(200n, 'peer', 'new');
    mailbox.push(fresh);
    stream(fresh);
    await catchUp();
    expect(events).toEqual([{ type: 'aside', message: fresh }]);
    expect(waits()).toBe(1);
  });

  it('catches up with mail that the stream has not told yet', async () => {
    const events: TalkEvent[] = [];
    const { host, mailbox, stream } = makeHost();
    const { say, catchUp } = await openConversation(host, 'hob', (event) =>
      events.push(event),
    );
    const messageId = await say('hello');
    const answer = message(1n, 'peer', 'hi', messageId);
    mailbox.push(answer);
    await catchUp(messageId);
    expect(events).toEqual([{ type: 'answer', message: answer }]);
    stream(answer);
    await catchUp(messageId);
    expect(events).toHaveLength(1);
  });

  it('takes no mail of strangers, and asks for no reply to it', async () => {
    const events: TalkEvent[] = [];
    const { host, mailbox } = makeHost();
    const conversation = await openConversation(host, 'hob', (event) =>
      events.push(event),
    );
    const messageId = await conversation.say('hello');
    mailbox.push(message(1n, 'stranger', 'psst', messageId));
    await conversation.catchUp('none');
    expect(events).toEqual([]);
    await expect(conversation.continueAt(1n)).rejects.toThrow(
      '#1 is not a message from "hob"',
    );
  });
});
