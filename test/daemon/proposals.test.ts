import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FarGuest, FarHost, FarIterator } from '../support/daemon.ts';
import { until, workerPids } from './processes.ts';
import {
  lastOf,
  messagesOf,
  nextOf,
  openProposingWorld,
  propose,
  readAgain,
  type Message,
  type Proposal,
  type ProposingWorld,
} from './proposing.ts';

let world: ProposingWorld;
let host: FarHost;
let alice: FarGuest;
let bob: FarGuest;

beforeAll(async () => {
  world = await openProposingWorld();
  host = world.host();
  alice = await world.guest('alice');
  bob = await world.guest('bob');
  await E(alice).storeValue(harden([1n, 2n, 3n]), 'numbers');
});
afterAll(() => world.daemon.stop());

const proposeAs = (guest: FarGuest, proposal: Proposal) =>
  propose(host, guest, proposal);

/** Code that says over mail that it runs, and goes on when the host lets it. */
const WAITING = (expression: string): string =>
  `E(agent).request('HOST', 'may I go on?').then(() => (${expression}))`;

const grantAround = async (
  number: bigint,
  meanwhile: () => Promise<unknown>,
): Promise<unknown> => {
  const outcome = E(host).grantEvaluate(number);
  outcome.catch(() => undefined);
  const asked = await nextOf(host, ({ type }) => type === 'request');
  await meanwhile();
  await E(host).resolve(asked.number, 'SELF');
  await E(host).dismiss(asked.number);
  return outcome;
};

describe('a proposal', () => {
  it('is shown to both with what it would run on, and nothing runs', async () => {
    await E(alice).makeDirectory('place');
    await E(alice).storeValue('deep', ['place', 'numbers']);
    const outcome = E(alice).evaluate(
      'bench',
      'numbers.length + deep.length',
      ['numbers', 'deep'],
      ['numbers', ['place', 'numbers']],
      ['place', 'sum'],
    );
    outcome.catch(() => undefined);
    await E(alice).has('x');
    const [mine, theirs] = [await lastOf(alice), await lastOf(host)];
    const common = {
      source: 'numbers.length + deep.length',
      codeNames: ['numbers', 'deep'],
      petNamePaths: [['numbers'], ['place', 'numbers']],
      edgeNames: ['numbers', 'numbers-2'],
      ids: [
        await E(alice).identify('numbers'),
        await E(alice).identify('place', 'numbers'),
      ],
      workerName: 'bench',
      state: 'open',
      from: await E(alice).identify('SELF'),
      to: await E(host).identify('SELF'),
      messageId: mine.messageId,
    };
    expect(mine).toMatchObject({
      ...common,
      type: 'eval-proposal-proposer',
      resultName: ['place', 'sum'],
    });
    expect(theirs).toMatchObject({
      ...common,
      type: 'eval-proposal-reviewer',
      resultId: mine.resultId,
    });
    expect('responder' in mine).toBe(false);
    expect('resultName' in theirs).toBe(false);
    for (const message of [mine, theirs]) {
      for (const secret of ['resolverId', 'worker', 'counteredBy'])
        expect(message).not.toHaveProperty(secret);
    }
    expect(workerPids(world.daemon.pid(), 'confined', 'bench')).toEqual([]);
    await E(host).grantEvaluate(theirs.number);
    await expect(outcome).resolves.toBe(7);
    expect(workerPids(world.daemon.pid(), 'confined', 'bench')).toHaveLength(1);
    await expect(E(alice).lookup(['place', 'sum'])).resolves.toBe(7);
  });

  it('comes to its proposer first, and a package to its recipient', async () => {
    const order: string[] = [];
    const follow = async (agent: FarGuest, name: string) => {
      const { messageId } = await lastOf(agent);
      const iterator = (await E(agent).followMessages()) as FarIterator;
      const next = async () =>
        ((await E(iterator).next()) as { value: Message }).value.messageId;
      while ((await next()) !== messageId);
      return async () => {
        await next();
        order.push(name);
      };
    };
    await E(alice).send('HOST', ['to both'], [], []);
    const followers = [
      await follow(host, 'HOST'),
      await follow(alice, 'alice'),
    ];
    const takeBoth = async (post: () => Promise<unknown>): Promise<void> => {
      const taken = Promise.all(followers.map((take) => take()));
      // Both wait when this is answered.
      await E(alice).has('x');
      await post();
      await taken;
    };
    await takeBoth(() => proposeAs(alice, { source: '1' }));
    await takeBoth(() => E(alice).send('HOST', ['text'], [], []));
    expect(order).toEqual(['alice', 'HOST', 'HOST', 'alice']);
  });

  it('is refused before anybody sees it when something in it cannot be', async () => {
    const before = await messagesOf(host);
    const bad: [unknown[], string][] = [
      [['1', ['a'], ['nothing']], 'No value is named "nothing"'],
      [['1', ['a', 'b'], ['numbers']], '2 code names and 1 pet names'],
      [['1', ['let'], ['numbers']], 'The code name "let" is not an identifier'],
      [['1', [], [], ['nowhere', 'x']], 'No value is named "nowhere"'],
      [['1', [], [], 'HOST'], '"HOST" is a special name'],
      [['x'.repeat(1_000_001), [], []], '1000000'],
    ];
    for (const [args, words] of bad)
      await expect(E(alice).evaluate('unborn', ...args)).rejects.toThrow(words);
    await expect(E(alice).evaluate('numbers', '1', [], [])).rejects.toThrow(
      '"numbers" is not a worker',
    );
    await expect(E(alice).has('unborn')).resolves.toBe(false);
    expect(await messagesOf(host)).toHaveLength(before.length);
  });

  it('whose text is no program fails when it is granted, in words', async () => {
    const { outcome, theirs } = await proposeAs(alice, { source: 'not a (' });
    const words = /granted, but the code failed: /;
    await expect(E(host).grantEvaluate(theirs.number)).rejects.toThrow(words);
    await expect(outcome).rejects.toThrow(words);
  });

  it('carries its values to whom it is put', async () => {
    const { theirs } = await proposeAs(alice, {
      source: 'it.length',
      values: { it: 'numbers' },
    });
    await E(host).adopt(theirs.number, 'numbers', 'numbers-of-alice');
    await expect(E(host).lookup('numbers-of-alice')).resolves.toEqual([
      1n,
      2n,
      3n,
    ]);
    await expect(
      E(host).adopt(theirs.number, 'other', 'other'),
    ).rejects.toThrow('under the edge name "other"; it has "numbers"');
  });

  it('runs on the values that it was made with', async () => {
    await E(alice).storeValue('shown', 'it');
    const { outcome, theirs } = await proposeAs(alice, {
      source: 'it',
      values: { it: 'it' },
    });
    await E(alice).storeValue('hidden', 'it');
    await expect(E(host).grantEvaluate(theirs.number)).resolves.toBe('shown');
    await expect(outcome).resolves.toBe('shown');
  });

  it('goes to the host that made the guest, and to no other', async () => {
    const manager = (await E(host).provideHost('manager', {
      agentName: 'manager-agent',
    })) as FarHost;
    const clerk = (await E(manager).provideGuest('clerk', {
      agentName: 'clerk-agent',
    })) as FarGuest;
    const before = await messagesOf(host);
    const { outcome, theirs } = await propose(manager, clerk, {
      source: '6 * 7',
      resultName: 'product',
    });
    expect(await messagesOf(host)).toHaveLength(before.length);
    await expect(E(manager).grantEvaluate(theirs.number)).resolves.toBe(42);
    await expect(outcome).resolves.toBe(42);
    await expect(E(clerk).lookup('product')).resolves.toBe(42);
  });

  it('runs in a process of its guest alone', async () => {
    const pids = () =>
      ['alice', 'bob'].map((label) =>
        workerPids(world.daemon.pid(), 'confined', label),
      );
    for (const guest of [alice, bob]) {
      const { theirs } = await proposeAs(guest, { source: '1' });
      await E(host).grantEvaluate(theirs.number);
    }
    const [ofAlice = [], ofBob = []] = pids();
    expect([ofAlice.length, ofBob.length]).toEqual([1, 1]);
    expect(ofAlice).not.toEqual(ofBob);
  });
});

describe('a granted proposal', () => {
  it('gives its result to both, under the name that was asked for', async () => {
    const { outcome, mine, theirs } = await proposeAs(alice, {
      source: 'numbers.map((n) => n * 2n)',
      values: { numbers: 'numbers' },
      resultName: 'doubled',
    });
    const doubled = [2n, 4n, 6n];
    await expect(E(host).grantEvaluate(theirs.number)).resolves.toEqual(
      doubled,
    );
    await expect(outcome).resolves.toEqual(doubled);
    for (const message of [mine, theirs]) {
      await expect(message.settled).resolves.toBe('fulfilled');
      await expect(message.result).resolves.toEqual(doubled);
    }
    await expect(E(alice).lookup('doubled')).resolves.toEqual(doubled);
    await expect(E(host).has('doubled')).resolves.toBe(false);
    for (const agent of [alice, host]) {
      const again = await readAgain(agent, mine);
      expect(again.state).toBe('granted');
      await expect(again.result).resolves.toEqual(doubled);
    }
  });

  it('runs once, and says so when it is granted again', async () => {
    const { theirs, mine } = await proposeAs(alice, {
      source: `E(agent).send('HOST', ['I ran'], [], []).then(() => ${WAITING('1n')})`,
      values: { agent: 'AGENT' },
    });
    const grantAgain = () => E(host).grantEvaluate(theirs.number);
    await grantAround(theirs.number, async () => {
      expect((await readAgain(alice, mine)).state).toBe('running');
      await expect(grantAgain()).rejects.toThrow(
        `The proposal in message ${theirs.number} was already granted, and its code is running`,
      );
      await expect(E(host).reject(theirs.number, 'late')).rejects.toThrow(
        'already granted',
      );
    });
    await expect(grantAgain()).rejects.toThrow(
      'was already granted, and its code has run',
    );
    await expect(E(host).reject(theirs.number)).rejects.toThrow(
      'already granted',
    );
    await expect(
      E(host).counterEvaluate(theirs.number, '2', [], []),
    ).rejects.toThrow('already granted');
    const ran = (await messagesOf(host)).filter(
      ({ strings }) => (strings as string[] | undefined)?.[0] === 'I ran',
    );
    expect(ran).toHaveLength(1);
  });

  it('whose code throws tells both why, and is not run again', async () => {
    const { outcome, mine, theirs } = await proposeAs(alice, {
      source: '(() => { throw Error("no luck"); })()',
      resultName: 'unlucky',
    });
    const words = 'granted, but the code failed: no luck';
    await expect(E(host).grantEvaluate(theirs.number)).rejects.toThrow(words);
    await expect(outcome).rejects.toThrow(words);
    await expect(mine.result).rejects.toThrow(words);
    await expect(mine.settled).resolves.toBe('rejected');
    expect((await readAgain(alice, mine)).state).toBe('failed');
    await expect(E(alice).has('unlucky')).resolves.toBe(false);
    await expect(E(host).grantEvaluate(theirs.number)).rejects.toThrow(
      'was already granted, and its code failed',
    );
  });

  it.each([
    'harden({ toString: 1 })',
    'harden([{ toString: 1 }])',
    `harden({ valueOf: Far('X', {}), toString: Far('Y', {}) })`,
  ])('fails in words when its code throws %s', async (thrown) => {
    const { outcome, mine, theirs } = await proposeAs(alice, {
      source: `(() => { throw ${thrown}; })()`,
    });
    const words =
      'granted, but the code failed: it threw an object that is no error';
    await expect(E(host).grantEvaluate(theirs.number)).rejects.toThrow(words);
    await expect(outcome).rejects.toThrow(words);
    expect((await readAgain(alice, mine)).state).toBe('failed');
  });

  it('runs once though it is granted over many connections at once', async () => {
    const { theirs } = await proposeAs(alice, {
      source: `E(agent).send('HOST', ['at once'], [], []).then(() => 1n)`,
      values: { agent: 'AGENT' },
    });
    const clients = await Promise.all(
      [1, 2, 3].map(() => world.daemon.client()),
    );
    const grants = await Promise.allSettled(
      clients.map((client) => E(client.host).grantEvaluate(theirs.number)),
    );
    expect(grants.filter(({ status }) => status === 'fulfilled')).toHaveLength(
      1,
    );
    const ran = (await messagesOf(host)).filter(
      ({ strings }) => (strings as string[] | undefined)?.[0] === 'at once',
    );
    expect(ran).toHaveLength(1);
  });

  it('fails when its process dies', async () => {
    const { outcome, theirs } = await proposeAs(bob, {
      source: WAITING('1'),
      values: { agent: 'AGENT' },
      workerName: 'mortal',
    });
    const granted = E(host).grantEvaluate(theirs.number);
    granted.catch(() => undefined);
    const asked = await nextOf(host, ({ type }) => type === 'request');
    for (const pid of workerPids(world.daemon.pid(), 'confined', 'mortal'))
      process.kill(pid, 'SIGKILL');
    const words = /granted, but the code failed: worker "mortal"/;
    await expect(granted).rejects.toThrow(words);
    await expect(outcome).rejects.toThrow(words);
    expect((await readAgain(bob, theirs)).state).toBe('failed');
    await E(host).dismiss(asked.number);
  });

  it('delivers a result that has no place for its name any more, and logs that', async () => {
    await E(alice).makeDirectory('short-lived');
    const { outcome, theirs } = await proposeAs(alice, {
      source: '"homeless"',
      resultName: ['short-lived', 'name'],
    });
    await E(alice).remove('short-lived');
    await expect(E(host).grantEvaluate(theirs.number)).resolves.toBe(
      'homeless',
    );
    await expect(outcome).resolves.toBe('homeless');
    await until(() =>
      world.daemon
        .log()
        .includes(
          'could not be named "short-lived/name", and is delivered without that name',
        ),
    );
    expect((await readAgain(alice, theirs)).state).toBe('granted');
  });
});

describe('a proposal that is refused', () => {
  it('tells its proposer the reason', async () => {
    const { outcome, mine, theirs } = await proposeAs(alice, { source: '1' });
    await E(host).reject(theirs.number, 'it is too dull');
    await expect(outcome).rejects.toThrow('it is too dull');
    await expect(mine.settled).resolves.toBe('rejected');
    await expect(mine.result).rejects.toThrow('it is too dull');
    for (const agent of [alice, host]) {
      const again = await readAgain(agent, mine);
      expect(again.state).toBe('rejected');
      await expect(again.result).rejects.toThrow('it is too dull');
    }
    for (const late of [
      () => E(host).grantEvaluate(theirs.number),
      () => E(host).reject(theirs.number),
      () => E(host).counterEvaluate(theirs.number, '2', [], []),
    ])
      await expect(late()).rejects.toThrow(
        `The proposal in message ${theirs.number} was already rejected`,
      );
  });

  it('may be refused by its responder, and not answered with a value', async () => {
    const { outcome, mine, theirs } = await proposeAs(alice, { source: '1' });
    const id = await E(host).identify('SELF');
    await expect(
      E(theirs.responder).resolveWithId(id as string),
    ).rejects.toThrow('is not answered with a value');
    await expect(E(host).resolve(theirs.number, 'SELF')).rejects.toThrow(
      'it is a proposal of code',
    );
    await E(theirs.responder).reject('by the responder');
    await expect(outcome).rejects.toThrow('by the responder');
    expect((await readAgain(alice, mine)).state).toBe('rejected');
  });

  it('is refused by whom it is put to, and by nobody else', async () => {
    const { mine, theirs } = await proposeAs(alice, { source: '1' });
    await expect(E(alice).reject(mine.number, 'no')).rejects.toThrow(
      'a proposal of code to somebody else',
    );
    await expect(E(bob).reject(theirs.number, 'no')).rejects.toThrow(
      /no message|asks for nothing|was dismissed/,
    );
    await expect(
      E(alice as FarHost).grantEvaluate(mine.number),
    ).rejects.toThrow('grantEvaluate');
    expect((await readAgain(host, theirs)).state).toBe('open');
  });

  it('is what a grant needs', async () => {
    await E(alice).send('HOST', ['no code'], [], []);
    const { number } = await lastOf(host);
    await expect(E(host).grantEvaluate(number)).rejects.toThrow(
      `Message ${number} proposes no code: it is a package`,
    );
    await expect(E(host).grantEvaluate(99_999n)).rejects.toThrow(
      'There is no message 99999',
    );
  });
});

describe('a counter-proposal', () => {
  const counter = async () => {
    const first = await proposeAs(alice, { source: 'rm()' });
    await E(host).storeValue('tidy', 'broom');
    await E(host).counterEvaluate(
      first.theirs.number,
      'ls(broom)',
      ['broom'],
      ['broom'],
      'bench',
      'swept',
    );
    return { first, mine: await lastOf(alice), theirs: await lastOf(host) };
  };

  it('goes to the proposer in the thread, and refuses the first', async () => {
    const { first, mine, theirs } = await counter();
    const words = `countered by message ${mine.messageId}`;
    await expect(first.outcome).rejects.toThrow(words);
    await expect(first.mine.result).rejects.toThrow(words);
    for (const agent of [alice, host])
      expect(await readAgain(agent, first.mine)).toMatchObject({
        state: 'countered',
        counteredBy: mine.messageId,
      });
    const common = {
      messageId: mine.messageId,
      replyTo: first.mine.messageId,
      from: await E(host).identify('SELF'),
      to: await E(alice).identify('SELF'),
      source: 'ls(broom)',
      codeNames: ['broom'],
      petNamePaths: [['broom']],
      edgeNames: ['broom'],
      ids: [await E(host).identify('broom')],
      workerName: 'bench',
      state: 'open',
    };
    expect(mine).toMatchObject({ ...common, type: 'eval-proposal-reviewer' });
    expect(theirs).toMatchObject({
      ...common,
      type: 'eval-proposal-proposer',
      resultName: ['swept'],
    });
    for (const late of [
      () => E(host).grantEvaluate(first.theirs.number),
      () => E(host).reject(first.theirs.number),
    ])
      await expect(late()).rejects.toThrow(
        `was already countered, by message ${mine.messageId}`,
      );
  });

  it('can be refused by the guest, and granted by nobody', async () => {
    const { mine, theirs } = await counter();
    await expect(E(host).grantEvaluate(theirs.number)).rejects.toThrow(
      'to somebody else',
    );
    await expect(E(mine.responder).resolveWithId('anything')).rejects.toThrow(
      'is not answered with a value',
    );
    await E(alice).adopt(mine.number, 'broom', 'broom');
    await expect(E(alice).lookup('broom')).resolves.toBe('tidy');
    await E(alice).reject(mine.number, 'I would rather not');
    await expect(theirs.result).rejects.toThrow('I would rather not');
    expect((await readAgain(host, theirs)).state).toBe('rejected');
  });

  it('leaves the first open when something in it cannot be', async () => {
    const { mine, theirs } = await proposeAs(alice, { source: '1' });
    await expect(
      E(host).counterEvaluate(theirs.number, '2', ['a'], ['missing']),
    ).rejects.toThrow('No value is named "missing"');
    await expect(
      E(host).counterEvaluate(theirs.number, '2', [], [], undefined, 'NONE'),
    ).rejects.toThrow('"NONE" is a special name');
    expect((await readAgain(alice, mine)).state).toBe('open');
    expect(await lastOf(alice)).toMatchObject({ messageId: mine.messageId });
  });
});

describe('dismissing', () => {
  it.each<[string, (theirs: Message) => Promise<unknown>]>([
    ['dismiss', ({ number }) => E(host).dismiss(number)],
    ['dismissAll', () => E(host).dismissAll()],
    ['its dismisser', ({ dismisser }) => E(dismisser).dismiss()],
  ])('an open proposal by %s refuses it', async (_way, dismiss) => {
    const { outcome, mine, theirs } = await proposeAs(alice, { source: '1' });
    await dismiss(theirs);
    await expect(outcome).rejects.toThrow('dismissed without an answer');
    await expect(mine.settled).resolves.toBe('rejected');
    const again = await readAgain(alice, mine);
    expect(again.state).toBe('rejected');
    await expect(again.result).rejects.toThrow('dismissed without an answer');
  });

  it('an open request by whom it is put to refuses it', async () => {
    const asked = E(alice).request('HOST', 'anything');
    asked.catch(() => undefined);
    await E(alice).has('x');
    const mine = await lastOf(alice);
    expect(mine.state).toBe('open');
    const { number } = await readAgain(host, mine);
    await E(host).dismiss(number);
    await expect(asked).rejects.toThrow('dismissed without an answer');
    expect((await readAgain(alice, mine)).state).toBe('rejected');
  });

  it('by the proposer hides its copy, and the proposal stays', async () => {
    const { outcome, mine, theirs } = await proposeAs(alice, {
      source: '"after all"',
      resultName: 'late-result',
    });
    await E(alice).dismiss(mine.number);
    expect((await readAgain(host, theirs)).state).toBe('open');
    await E(host).grantEvaluate(theirs.number);
    await expect(outcome).resolves.toBe('after all');
    await expect(E(alice).lookup('late-result')).resolves.toBe('after all');
  });

  it('by both while the code runs loses nothing of the result', async () => {
    const { outcome, mine, theirs } = await proposeAs(alice, {
      source: WAITING('"still here"'),
      values: { agent: 'AGENT' },
      resultName: 'kept',
    });
    await grantAround(theirs.number, async () => {
      await E(alice).dismiss(mine.number);
      await E(host).dismiss(theirs.number);
    });
    await expect(outcome).resolves.toBe('still here');
    await expect(E(alice).lookup('kept')).resolves.toBe('still here');
    await expect(E(alice).lookupById(mine.resultId)).rejects.toThrow(
      /There is no value/,
    );
  });

  it('by both when it is over leaves nothing', async () => {
    const carol = await world.guest('carol');
    await E(carol).storeValue('brief', 'brief');
    const { mine, theirs } = await proposeAs(carol, {
      source: 'Far("Nameless", { brief: () => brief })',
      values: { brief: 'brief' },
      workerName: 'brief-worker',
    });
    const worker = await E(carol).identify('brief-worker');
    await E(carol).remove('brief');
    await E(carol).remove('brief-worker');
    const nameless = (await E(host).grantEvaluate(theirs.number)) as {
      readonly brief: () => Promise<unknown>;
    };
    await expect(E(nameless).brief()).resolves.toBe('brief');
    await E(carol).dismissAll();
    // The host has its copy still.
    await expect(E(host).lookupById(mine.resultId)).resolves.toBe(nameless);
    await E(host).dismissAll();
    for (const id of [mine.resultId, worker, ...mine.ids])
      await expect(E(host).lookupById(id)).rejects.toThrow(/There is no value/);
    await expect(E(nameless).brief()).rejects.toThrow();
  });
});
