import { E, Far } from '@endo/far';
import { describe, expect, it } from 'vitest';
import type { SessionLimits } from '../../../daemon/connection/session-limits.ts';
import {
  collectUntil,
  makePlainEnd,
  makeSessionEnd,
  type End,
} from './support.ts';

type Anything = Readonly<
  Record<string, (...args: readonly unknown[]) => Promise<unknown>>
>;

const makePair = (
  bootstrap: unknown,
  options: {
    readonly maxFrameBytes?: number;
    readonly limits?: Partial<SessionLimits>;
  } = {},
) => {
  const server = makeSessionEnd({
    name: 'server',
    bootstrap,
    ...options,
    peer: (): End => client,
  });
  const client = makeSessionEnd({ name: 'client', peer: () => server });
  return { server, client };
};

const bootstrapOf = async (end: {
  readonly getBootstrap: () => Promise<unknown>;
}): Promise<Anything> => (await end.getBootstrap()) as Anything;

const settled = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(String, (error: unknown) => `rejected: ${String(error)}`);

describe('a session', () => {
  it('carries values, errors, objects and promises both ways', async () => {
    const { client } = makePair(
      Far('Server', {
        add: (a: bigint, b: bigint) => a + b,
        fail: () => {
          throw TypeError('no "such" thing');
        },
        same: (value: unknown) => value,
        call: async (them: Anything) => E(them)['speak']?.(),
      }),
    );
    const server = await bootstrapOf(client);
    const mine = Far('Mine', { speak: () => 'spoken' });

    expect(await E(server)['add']?.(2n, 3n)).toBe(5n);
    await expect(E(server)['fail']?.()).rejects.toThrow('no "such" thing');
    expect(await E(server)['same']?.(mine)).toBe(mine);
    expect(await E(server)['call']?.(mine)).toBe('spoken');
    expect(await E(server)['same']?.(Promise.resolve('later'))).toBe('later');
  });

  it('sends calls on to answers that are not there yet', async () => {
    const inner = Far('Inner', { value: () => 'deep' });
    const { client } = makePair(
      Far('Server', { inner: async () => Promise.resolve(inner) }),
    );
    const early = E(E(client.getBootstrap() as Promise<Anything>)['inner']?.());

    expect(await (early as unknown as Anything)['value']?.()).toBe('deep');
  });

  it('keeps nothing of 2,000 calls that pass objects and promises', async () => {
    const { server, client } = makePair(
      Far('Server', {
        make: () => harden({ it: Far('It', {}), later: Promise.resolve(1) }),
      }),
    );
    const far = await bootstrapOf(client);
    const callMany = async (): Promise<void> => {
      for (let index = 0; index < 2_000; index += 1) {
        await E(far)['make']?.(harden([Far('Arg', {}), Promise.resolve(2)]));
      }
    };
    await callMany();

    const isFree = (): boolean =>
      server.counts().returnedAnswers === 0 &&
      // The bootstrap object.
      server.counts().exports === 1 &&
      client.counts().exports === 0;
    expect(await collectUntil(isFree)).toBe(true);
    expect(server.violations).toEqual([]);
    expect(client.violations).toEqual([]);
    // Held to here, so that the connection itself is not what was collected.
    expect(await settled(E(far)['make']?.(1) as Promise<unknown>)).not.toMatch(
      'rejected',
    );
  });

  it('lets what it answered with be collected, once the peer dropped it', async () => {
    const refs: WeakRef<object>[] = [];
    const { client } = makePair(
      Far('Server', {
        make: () => {
          const it = Far('It', {});
          refs.push(new WeakRef(it));
          return it;
        },
      }),
    );
    const far = await bootstrapOf(client);
    for (let index = 0; index < 20; index += 1) await E(far)['make']?.();

    // The engine itself may hold on to the newest.
    const isFree = () =>
      refs.filter((ref) => ref.deref() !== undefined).length <= 2;
    expect(await collectUntil(isFree)).toBe(true);
    await E(far)['make']?.();
  });

  it('can send again what the peer had dropped: objects answer, promises settle', async () => {
    const it = Far('It', { speak: () => 'still here' });
    const kept = harden({ later: Promise.resolve('settled again') });
    const broken = harden({ later: Promise.reject(Error('broken again')) });
    broken.later.catch(() => undefined);
    const { server, client } = makePair(
      Far('Server', { it: () => it, kept: () => kept, broken: () => broken }),
    );
    const far = await bootstrapOf(client);
    const use = async () => {
      const again = (await E(far)['it']?.()) as Anything;
      const promise = (await E(far)['kept']?.()) as typeof kept;
      const rejection = (await E(far)['broken']?.()) as typeof broken;
      return [
        await E(again)['speak']?.(),
        await promise.later,
        await settled(rejection.later),
      ];
    };
    const first = await use();
    expect(await collectUntil(() => server.counts().exports === 1)).toBe(true);

    expect(await use()).toEqual(first);
    expect(first).toEqual([
      'still here',
      'settled again',
      'rejected: Error: broken again',
    ]);
  });

  it('drops a reference as often as it was sent, however often the peer called an object of the same number', async () => {
    const tools = harden(
      [1, 2, 3].map(() => Far('Tool', { use: () => 'used' })),
    );
    const { server, client } = makePair(
      Far('Server', {
        tools: () => tools,
        // The peer's objects have the same numbers as ours.
        use: async (theirs: readonly Anything[]) =>
          Promise.all(theirs.map(async (their) => E(their)['use']?.())),
      }),
    );
    const far = await bootstrapOf(client);
    const mine = harden([1, 2, 3, 4].map(() => Far('Mine', { use: () => 1 })));
    await E(far)['tools']?.();
    for (let round = 0; round < 5; round += 1) await E(far)['use']?.(mine);
    const isDropped = (): boolean => server.counts().exports === 1;
    expect(await collectUntil(isDropped)).toBe(true);

    const drops = client.sent.filter(
      ({ type, slotID }) =>
        type === 'CTP_DROP' && String(slotID).startsWith('o'),
    );
    expect(drops.map(({ decRefs }) => decRefs)).toEqual([1, 1, 1]);
  });

  it('answers a call to an object that it does not have', async () => {
    const { server, client } = makePair(Far('Server', {}));
    await client.getBootstrap();
    server.receive(
      JSON.stringify({
        type: 'CTP_CALL',
        questionID: 'q-77',
        target: 'o-4711',
        method: { body: '["speak",[]]', slots: [] },
      }),
    );

    const answer = server.sent.at(-1);
    expect(answer).toMatchObject({ type: 'CTP_RETURN', answerID: 'q-77' });
    expect(JSON.stringify(answer?.['exception'])).toContain(
      'could not be delivered',
    );
  });

  it('answers a call whose arguments name what it does not have, or cannot be read', () => {
    const { server } = makePair(Far('Server', { speak: () => 1 }));
    const call = (questionID: string, method: unknown): unknown => {
      const message = { type: 'CTP_CALL', questionID, target: 'o-1', method };
      server.receive(JSON.stringify(message));
      return server.sent.at(-1);
    };
    const slot = '{"@qclass":"slot","index":0}';

    for (const [index, method] of [
      { body: `["speak",[${slot}]]`, slots: ['o-99'] },
      { body: '["speak",', slots: [] },
      undefined,
    ].entries()) {
      expect(call(`q-${index}`, method)).toMatchObject({
        type: 'CTP_RETURN',
        answerID: `q-${index}`,
        exception: {},
      });
    }
  });

  it('answers a call on an answer that is no longer kept, and not with its own questions', async () => {
    const { server, client } = makePair(Far('Server', {}));
    await client.getBootstrap();
    // A question of the server's own, with the number that is asked for.
    const own = server.getBootstrap();
    server.receive(
      JSON.stringify({
        type: 'CTP_CALL',
        questionID: 'q-50',
        target: 'q-1',
        method: { body: '["speak",[]]', slots: [] },
      }),
    );
    server.receive(
      JSON.stringify({ type: 'CTP_DROP', slotID: 'q-1', decRefs: 1 }),
    );
    server.receive(
      JSON.stringify({
        type: 'CTP_CALL',
        questionID: 'q-51',
        target: 'q-1',
        method: { body: '["speak",[]]', slots: [] },
      }),
    );

    expect(JSON.stringify(server.sent.at(-1))).toContain('no longer kept');
    await own;
  });

  it('rejects when an answer names an object that is gone', async () => {
    const { client } = makePair(Far('Server', {}));
    const answer = client.getBootstrap();
    client.receive(
      JSON.stringify({
        type: 'CTP_RETURN',
        answerID: 'q-1',
        result: { body: '{"@qclass":"slot","index":0}', slots: ['o-5'] },
      }),
    );

    await expect(answer).rejects.toThrow('names an object, o-5, that is gone');
    expect(client.violations).toEqual([]);
  });

  it('tells the asker, and goes on, when a call or an answer is too large', async () => {
    const { server, client } = makePair(
      Far('Server', {
        long: () => 'x'.repeat(2_000),
        promise: () => harden({ later: Promise.resolve('x'.repeat(2_000)) }),
        ok: () => 'fine',
        call: async (them: Anything) => E(them)['take']?.('x'.repeat(2_000)),
      }),
      { maxFrameBytes: 1_000 },
    );
    const far = await bootstrapOf(client);
    const words = 'over the limit of 1000 bytes';
    const mine = Far('Mine', { take: () => 'taken' });

    await expect(E(far)['long']?.()).rejects.toThrow(words);
    const { later } = (await E(far)['promise']?.()) as {
      later: Promise<string>;
    };
    await expect(later).rejects.toThrow(words);
    await expect(E(far)['call']?.(mine)).rejects.toThrow(words);
    expect(await E(far)['ok']?.()).toBe('fine');
    expect(server.counts().openQuestions).toBe(0);
  });

  it('rejects what is pending, and what comes later, when it is aborted', async () => {
    const { client } = makePair(
      Far('Server', { wait: () => new Promise(() => undefined) }),
    );
    const far = await bootstrapOf(client);
    const pending = E(far)['wait']?.() as Promise<unknown>;
    client.abort(Error('the daemon is gone'));

    await expect(pending).rejects.toThrow('the daemon is gone');
    await expect(E(far)['wait']?.()).rejects.toThrow('the daemon is gone');
    await expect(client.getBootstrap()).rejects.toThrow('the daemon is gone');
  });
});

describe('a session with plain CapTP at the other end', () => {
  const service = Far('Server', {
    make: () => Far('It', { speak: () => 'hello' }),
    same: (value: unknown) => value,
    call: async (them: Anything) => E(them)['speak']?.(),
  });

  const makeForeign = (limits: Partial<SessionLimits>, gcImports = false) => {
    const server = makeSessionEnd({
      name: 'server',
      bootstrap: service,
      limits,
      peer: (): End => plain,
    });
    const plain = makePlainEnd({ gcImports, peer: () => server });
    return { server, plain };
  };

  it.each([true, false])(
    'speaks as CapTP does (it drops imports: %s)',
    async (gcImports) => {
      const { server, plain } = makeForeign({}, gcImports);
      const far = await bootstrapOf(plain);
      const it = (await E(far)['make']?.()) as Anything;
      const mine = Far('Mine', { speak: () => 'from afar' });

      expect(await E(it)['speak']?.()).toBe('hello');
      expect(await E(far)['same']?.(it)).toBe(it);
      expect(await E(far)['call']?.(mine)).toBe('from afar');
      expect(server.violations).toEqual([]);
    },
  );

  it('keeps a bounded number of answers when nothing is ever dropped', async () => {
    const { server, plain } = makeForeign({ maxAnswers: 10 });
    const far = await bootstrapOf(plain);
    for (let index = 0; index < 50; index += 1) {
      expect(await E(far)['same']?.(index)).toBe(index);
    }
    expect(server.counts()).toMatchObject({
      returnedAnswers: 10,
      pendingCalls: 0,
    });
  });

  it('keeps a bounded number of bytes of answers', async () => {
    const { server, plain } = makeForeign({ maxAnswerBytes: 5_000 });
    const far = await bootstrapOf(plain);
    for (let index = 0; index < 20; index += 1) {
      await E(far)['same']?.('x'.repeat(1_000));
    }
    expect(server.counts().returnedAnswers).toBeLessThan(5);
  });

  it.each([
    ['references it never dropped', { maxExports: 20 }, 'make', undefined],
    [
      'unsettled promises',
      { maxUnsettled: 20 },
      'make',
      new Promise(() => undefined),
    ],
    [
      'unanswered calls',
      { maxPendingCalls: 20 },
      'same',
      new Promise(() => undefined),
    ],
  ] as const)(
    'is ended over too many %s',
    async (what, limits, method, argument) => {
      const { server, plain } = makeForeign(limits);
      const far = await bootstrapOf(plain);
      const calls = Array.from({ length: 25 }, () =>
        E(far)[method]?.(
          ...(argument === undefined ? [] : [argument.then(() => 1)]),
        ),
      );
      // They reject, at the latest, when the test is over.
      for (const call of calls) Promise.resolve(call).catch(() => undefined);
      while (server.violations.length === 0) await E(far)['same']?.(1);

      expect(server.violations[0]).toContain(`more than 20 ${what}`);
    },
  );

  it('is not told of dropped objects, which it could not send again', async () => {
    const mine = Far('Mine', { speak: () => 'again' });
    const server = makeSessionEnd({ name: 'server', peer: (): End => plain });
    const plain = makePlainEnd({
      bootstrap: Far('Plain', {
        mine: () => mine,
        later: () => harden({ later }),
      }),
      peer: () => server,
    });
    const later = Promise.resolve('settled once');
    const far = await bootstrapOf(server);
    const use = async () => {
      const it = (await E(far)['mine']?.()) as Anything;
      const held = (await E(far)['later']?.()) as { later: Promise<string> };
      return [await E(it)['speak']?.(), await held.later];
    };
    await use();
    const dropped = () =>
      server.sent.filter(({ type }) => type === 'CTP_DROP').length;
    expect(await collectUntil(() => dropped() > 0)).toBe(true);

    expect(await use()).toEqual(['again', 'settled once']);
  });
});

describe('a session with a peer that breaks the protocol', () => {
  it.each([
    ['{', 'must hold JSON'],
    ['[]', 'must hold a CapTP message'],
    ['null', 'must hold a CapTP message'],
    ['{"type":5}', 'must hold a CapTP message'],
    ['{"type":"CTP_CALL","target":"o-1"}', 'a new question number'],
    ['{"type":"CTP_BOOTSTRAP","questionID":"x"}', 'a new question number'],
    ['{"type":"CTP_DROP"}', 'must name what is dropped'],
  ])('ends it with a reason: %s', (text, words) => {
    const { server } = makePair(Far('Server', {}));
    server.receive(text);
    expect(server.violations[0]).toContain(words);
  });

  it('ignores answers to questions it never asked', () => {
    const { server } = makePair(Far('Server', {}));
    const result = { body: '1', slots: [] };
    for (const message of [
      { type: 'CTP_RETURN', answerID: 'q-9', result },
      { type: 'CTP_RESOLVE', promiseID: 'p-9', res: result },
      { type: 'CTP_NONSENSE' },
    ]) {
      server.receive(JSON.stringify(message));
    }
    expect(server.violations).toEqual([]);
  });

  it('ends it over an answer that cannot be read', () => {
    const { client } = makePair(Far('Server', {}));
    client.getBootstrap().catch(() => undefined);
    client.receive(
      JSON.stringify({
        type: 'CTP_RETURN',
        answerID: 'q-1',
        result: { body: '{', slots: [] },
      }),
    );
    expect(client.violations[0]).toContain('unreadable answer');
  });
});
