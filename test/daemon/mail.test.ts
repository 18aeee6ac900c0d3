import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type FarIterator,
  type TestDaemon,
} from '../support/daemon.ts';

type Message = {
  readonly type: string;
  readonly number: bigint;
  readonly date: string;
  readonly messageId: string;
  readonly replyTo?: string;
  readonly from: string;
  readonly to: string;
  readonly strings: string[];
  readonly names: string[];
  readonly ids: string[];
  readonly description: string;
  readonly promiseId: string;
  readonly resolverId: string;
  readonly settled: Promise<string>;
  readonly dismissed: Promise<undefined>;
  readonly dismisser: { readonly dismiss: () => Promise<void> };
};

let daemon: TestDaemon;
let host: FarHost;
let alice: FarGuest;

const connect = async (): Promise<void> => {
  ({ host } = await daemon.client());
  alice = (await E(host).provideGuest('alice', {
    agentName: 'alice-agent',
  })) as FarGuest;
};
const restart = async (): Promise<void> => {
  await daemon.restart();
  await connect();
};
const messages = async (agent: FarGuest): Promise<Message[]> =>
  (await E(agent).listMessages()) as Message[];
const last = async (agent: FarGuest): Promise<Message> => {
  const message = (await messages(agent)).at(-1);
  if (message === undefined) throw Error('The mailbox is empty');
  return message;
};
/** What stays the same of a message when it is read again. */
const lasting = ({ settled, dismissed, dismisser, ...rest }: Message) => {
  // Only a request is settled by somebody.
  expect(settled).toBe(undefined);
  expect(dismissed).toBeInstanceOf(Promise);
  expect(dismisser).toBeTypeOf('object');
  return rest;
};

beforeAll(async () => {
  daemon = await startTestDaemon();
  await connect();
});
afterAll(() => daemon.stop());

describe('a message', () => {
  it('is in both mailboxes, with all its fields, and the same after a restart', async () => {
    await E(host).storeValue(42n, 'answer');
    await E(host).send('alice', ['Look: ', ' - nice?'], ['it'], ['answer']);
    const sent = await last(host);
    const received = await last(alice);
    expect(lasting(received)).toEqual({
      ...lasting(sent),
      number: 0n,
    });
    expect(received).toMatchObject({
      type: 'package',
      number: 0n,
      from: await E(host).identify('SELF'),
      to: await E(alice).identify('SELF'),
      strings: ['Look: ', ' - nice?'],
      names: ['it'],
      ids: [await E(host).identify('answer')],
    });
    expect(received.messageId).toMatch(/^[0-9a-f]{64}$/);
    expect(new Date(received.date).toISOString()).toBe(received.date);
    expect('replyTo' in received).toBe(false);
    await restart();
    expect(lasting(await last(alice))).toEqual(lasting(received));
    expect(lasting(await last(host))).toEqual(lasting(sent));
  });

  it('is answered in its thread, by either party', async () => {
    await E(host).send('alice', ['question'], [], []);
    const question = await last(alice);
    await E(alice).reply(question.number, ['[answer'], [], []);
    const answer = await last(host);
    expect(answer).toMatchObject({
      replyTo: question.messageId,
      strings: ['[answer'],
    });
    expect(answer.from).toBe(question.to);
    const own = (await messages(host)).find(
      ({ messageId }) => messageId === question.messageId,
    );
    await E(host).reply(own?.number, ['one more thing'], [], []);
    expect(await last(alice)).toMatchObject({
      replyTo: question.messageId,
      strings: ['one more thing'],
    });
    await restart();
    expect(await last(alice)).toMatchObject({ replyTo: question.messageId });
  });

  it('to oneself comes once', async () => {
    const before = (await messages(host)).length;
    await E(host).send('SELF', ['note'], [], []);
    expect(await messages(host)).toHaveLength(before + 1);
  });

  it('carries values that can be adopted, also when the sender forgot them', async () => {
    await E(host).storeValue('gift', 'present');
    await E(host).send('alice', ['Here: '], ['gift'], ['present']);
    await E(host).remove('present');
    const { number } = await last(alice);
    await E(alice).adopt(number, 'gift', 'my-gift');
    await expect(E(alice).lookup('my-gift')).resolves.toBe('gift');
    await expect(E(alice).adopt(number, 'other', 'x')).rejects.toThrow(
      `Message ${number} carries no value under the edge name "other"; it has "gift"`,
    );
  });

  it('lets its values go when it is dismissed on both sides', async () => {
    await E(host).storeValue('brief', 'brief');
    const id = await E(host).identify('brief');
    await E(host).send('alice', ['', ''], ['brief'], ['brief']);
    await E(host).remove('brief');
    await E(alice).dismiss((await last(alice)).number);
    await expect(E(host).lookupById(id)).resolves.toBe('brief');
    await E(host).dismiss((await last(host)).number);
    await expect(E(host).lookupById(id)).rejects.toThrow(/There is no value/);
  });

  it('that was dismissed is gone for good, and its number with it', async () => {
    await E(host).send('alice', ['soon gone'], [], []);
    const { number, dismissed, dismisser } = await last(alice);
    await E(dismisser).dismiss();
    await expect(dismissed).resolves.toBe(undefined);
    const gone = `Message ${number} was dismissed`;
    await expect(E(alice).reply(number, ['?'], [], [])).rejects.toThrow(gone);
    await expect(E(alice).dismiss(number)).rejects.toThrow(gone);
    await expect(E(alice).reply(9999n, ['?'], [], [])).rejects.toThrow(
      'There is no message 9999',
    );
    await E(alice).dismissAll();
    await restart();
    expect(await messages(alice)).toEqual([]);
    await E(host).send('alice', ['next'], [], []);
    expect((await last(alice)).number).toBe(number + 1n);
  });

  it('is in neither mailbox when anything is wrong with it, and the error names what', async () => {
    const [mine, hers] = [await messages(host), await messages(alice)];
    const bad: [unknown[], string][] = [
      [['nobody', ['x'], [], []], 'No value is named "nobody"'],
      [
        ['answer', ['x'], [], []],
        'Cannot send to "answer": it is a value of the kind marshal',
      ],
      [['alice', ['x'], ['a'], ['missing']], 'No value is named "missing"'],
      [['alice', ['x', 'y'], ['a'], []], '1 edge names and 0 pet names'],
      [['alice', [], ['a'], ['answer']], '1 values need 1 or 2 strings, not 0'],
      [['alice', ['x', 'y'], [], []], '0 values need 0 or 1 strings, not 2'],
      [
        ['alice', ['x', 'y'], ['a', 'a'], ['answer', 'answer']],
        'The edge name "a" is there twice',
      ],
      [
        ['alice', ['x'], ['FROM'], ['answer']],
        'The edge name "FROM" is reserved',
      ],
      [
        ['alice', ['x'], ['no good'], ['answer']],
        '"no good" is not a valid pet name',
      ],
      [['alice', ['x'.repeat(1_000_001)], [], []], '1000000'],
    ];
    for (const [args, words] of bad)
      await expect(E(host).send(...args)).rejects.toThrow(words);
    await expect(E(host).deliver({})).rejects.toThrow('deliver is refused');
    expect(await messages(host)).toHaveLength(mine.length);
    expect(await messages(alice)).toHaveLength(hers.length);
  });

  it('may be as long as the stated limit', async () => {
    const text = '#'.repeat(1_000_000);
    await E(host).send('alice', [text], [], []);
    expect((await last(alice)).strings).toEqual([text]);
  });

  it('has a limit for its text in all, and is read again at that limit with a thousand values', async () => {
    const reader = (await E(host).provideGuest('reader', {
      agentName: 'reader-agent',
    })) as FarGuest;
    const strings = Array.from({ length: 1000 }, () => '"'.repeat(1000));
    const edgeNames = strings.map((_, index) => `edge-${index}`);
    const petNames = strings.map(() => 'thing');
    await E(host).storeValue('thing', 'thing');
    await expect(
      E(host).send('reader', [...strings, '!'], edgeNames, petNames),
    ).rejects.toThrow(
      'A message has at most 1000000 characters of text, and this one has 1000001',
    );
    expect(await messages(reader)).toEqual([]);
    await E(host).send('reader', strings, edgeNames, petNames);
    const iterator = (await E(reader).followMessages()) as FarIterator;
    const { value } = (await E(iterator).next()) as { value: Message };
    expect(value).toMatchObject({ number: 0n, strings, names: edgeNames });
    expect(value.ids).toHaveLength(1000);
  });

  it('has a number that no larger one stands for', async () => {
    const tooLarge = /(dismiss|reply).* < .*9223372036854775808n/;
    await expect(E(alice).dismiss(2n ** 64n)).rejects.toThrow(tooLarge);
    await expect(E(alice).reply(2n ** 63n, ['x'], [], [])).rejects.toThrow(
      tooLarge,
    );
    await expect(E(alice).dismiss(2n ** 63n - 1n)).rejects.toThrow(
      'There is no message 9223372036854775807',
    );
  });
});

describe('a follower of messages', () => {
  it('gets the inbox oldest first, its own messages, and then what comes', async () => {
    const follower = (await E(host).provideGuest('follower', {
      agentName: 'follower-agent',
    })) as FarGuest;
    await E(host).send('follower', ['one'], [], []);
    await E(follower).send('HOST', ['two'], [], []);
    const iterator = (await E(follower).followMessages()) as FarIterator;
    const texts: unknown[] = [];
    const take = async (): Promise<void> => {
      const { value } = (await E(iterator).next()) as { value: Message };
      texts.push([value.number, value.strings[0]]);
    };
    await take();
    await take();
    const waiting = [take(), take()];
    await E(host).send('follower', ['three'], [], []);
    await E(host).send('follower', ['four'], [], []);
    await Promise.all(waiting);
    expect(texts).toEqual([
      [0n, 'one'],
      [1n, 'two'],
      [2n, 'three'],
      [3n, 'four'],
    ]);
  });

  it('passes over what was dismissed before it was read', async () => {
    const late = (await E(host).provideGuest('late', {
      agentName: 'late-agent',
    })) as FarGuest;
    const iterator = (await E(late).followMessages()) as FarIterator;
    await E(host).send('late', ['gone'], [], []);
    await E(host).send('late', ['stays'], [], []);
    await E(late).dismiss(0n);
    const { value } = (await E(iterator).next()) as { value: Message };
    expect(value.strings).toEqual(['stays']);
  });

  it('ends when returned, also while somebody waits', async () => {
    const idle = (await E(host).provideGuest('idle', {
      agentName: 'idle-agent',
    })) as FarGuest;
    const iterator = (await E(idle).followMessages()) as FarIterator;
    const waiting = E(iterator).next();
    await E(iterator).return();
    await expect(waiting).resolves.toEqual({ value: undefined, done: true });
    await expect(E(iterator).next()).resolves.toMatchObject({ done: true });
  });
});

describe('a request', () => {
  it('is answered with a value, which gets the name that was asked for', async () => {
    await E(host).storeValue('the key', 'key');
    const asked = E(alice).request('HOST', 'a key, please', 'my-key');
    const iterator = (await E(host).followMessages()) as FarIterator;
    let request: Message | undefined;
    while (request === undefined) {
      const { value } = (await E(iterator).next()) as { value: Message };
      if (value.type === 'request') request = value;
    }
    expect(request).toMatchObject({ description: 'a key, please' });
    expect('replyTo' in request).toBe(false);
    await E(host).resolve(request.number, 'key');
    await expect(asked).resolves.toBe('the key');
    await expect(request.settled).resolves.toBe('fulfilled');
    await expect(E(alice).lookup('my-key')).resolves.toBe('the key');
    await expect(E(host).resolve(request.number, 'key')).rejects.toThrow(
      'was answered already',
    );
  });

  const ask = async (responseName: string | string[]): Promise<Message> => {
    E(alice)
      .request('HOST', 'across a restart', responseName)
      .catch(() => undefined);
    // In order on one connection: the request was posted when this is answered.
    await E(alice).has('x');
    return last(host);
  };

  it('that is resolved after a restart still reaches the one who asked', async () => {
    const { number } = await ask('late-key');
    await restart();
    const mine = await last(alice);
    await E(host).resolve(number, 'key');
    await expect(mine.settled).resolves.toBe('fulfilled');
    await expect(E(alice).lookup('late-key')).resolves.toBe('the key');
    await restart();
    await expect((await last(alice)).settled).resolves.toBe('fulfilled');
    await expect(E(alice).lookupById(mine.promiseId)).resolves.toBe('the key');
  });

  it('that is rejected after a restart says why', async () => {
    const { number } = await ask('no-key');
    await restart();
    const mine = await last(alice);
    const waiting = E(alice).lookupById(mine.promiseId);
    await E(host).reject(number, 'not today');
    await expect(waiting).rejects.toThrow('not today');
    await expect(mine.settled).resolves.toBe('rejected');
    await expect(E(alice).has('no-key')).resolves.toBe(false);
  });

  it('can be answered only by whom it was put to, and only as a request', async () => {
    const theirs = await ask('x');
    const mine = await last(alice);
    expect(theirs).toHaveProperty('resolverId');
    expect(mine).not.toHaveProperty('resolverId');
    await expect(E(alice).resolve(mine.number, 'SELF')).rejects.toThrow(
      'a request to somebody else',
    );
    await E(host).send('alice', ['no request'], [], []);
    const plain = await last(alice);
    await expect(E(alice).reject(plain.number)).rejects.toThrow(
      'it is a package, and not a request',
    );
  });

  it('that is dismissed unanswered on both sides is rejected', async () => {
    const asked = E(alice).request('HOST', 'forget it');
    await E(alice).has('x');
    await E(alice).dismiss((await last(alice)).number);
    await E(host).dismiss((await last(host)).number);
    await expect(asked).rejects.toThrow('dismissed without an answer');
  });
});
