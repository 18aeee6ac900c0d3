import { E } from '@endo/far';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FarGuest } from '../support/daemon.ts';
import {
  messagesOf,
  nextOf,
  openProposingWorld,
  propose,
  readAgain,
  type Message,
  type ProposingWorld,
} from './proposing.ts';

const open = async (
  env: Readonly<Record<string, string>> = {},
): Promise<ProposingWorld> => {
  const world = await openProposingWorld({ env });
  onTestFinished(() => world.daemon.stop());
  return world;
};

/** How often code that says over mail that it ran has run. */
const runsSeenBy = async (agent: FarGuest): Promise<number> =>
  (await messagesOf(agent)).filter(
    ({ strings }) => (strings as string[] | undefined)?.[0] === 'I ran',
  ).length;

const SAY = `E(agent).send('HOST', ['I ran'], [], [])`;

describe('a proposal and a restart of the daemon', () => {
  it('is listed, granted and settled after it, when it was open', async () => {
    const world = await open();
    const before = await world.guest('alice');
    await E(before).storeValue('from before', 'it');
    const { mine } = await propose(world.host(), before, {
      source: 'it',
      values: { it: 'it' },
      resultName: 'after',
    });
    await world.restart();
    const alice = await world.guest('alice');
    await E(alice).storeValue('from after', 'it');
    const [proposed, reviewed] = [
      await readAgain(alice, mine),
      await readAgain(world.host(), mine),
    ];
    expect([proposed.state, reviewed.state]).toEqual(['open', 'open']);
    await expect(E(world.host()).grantEvaluate(reviewed.number)).resolves.toBe(
      'from before',
    );
    for (const message of [proposed, reviewed]) {
      await expect(message.settled).resolves.toBe('fulfilled');
      await expect(message.result).resolves.toBe('from before');
    }
    await expect(E(alice).lookup('after')).resolves.toBe('from before');
  });

  it('reaches its proposer with the reason, when it is refused or countered after it', async () => {
    const world = await open();
    const before = await world.guest('alice');
    const proposals = [];
    for (const source of ['1', '2'])
      proposals.push((await propose(world.host(), before, { source })).mine);
    await world.killAndRestart();
    const alice = await world.guest('alice');
    const [first, second] = (await Promise.all(
      proposals.map((message) => readAgain(alice, message)),
    )) as [Message, Message];
    const numberOf = async (message: Message): Promise<bigint> =>
      (await readAgain(world.host(), message)).number;
    await E(world.host()).reject(await numberOf(first), 'not this');
    await E(world.host()).counterEvaluate(await numberOf(second), '3', [], []);
    await expect(first.result).rejects.toThrow('not this');
    await expect(second.result).rejects.toThrow('countered by message ');
    await world.restart();
    const [refused, countered] = (await Promise.all(
      proposals.map(async (message) =>
        readAgain(await world.guest('alice'), message),
      ),
    )) as [Message, Message];
    await expect(refused.result).rejects.toThrow('not this');
    expect(countered.state).toBe('countered');
    expect(countered.counteredBy).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has run once, though its result is looked up three times after it', async () => {
    const world = await open();
    const alice = await world.guest('alice');
    const { mine, theirs } = await propose(world.host(), alice, {
      source: `${SAY}.then(() => harden({ data: [1n] }))`,
      values: { agent: 'AGENT' },
      resultName: 'data',
    });
    const data = { data: [1n] };
    await expect(E(world.host()).grantEvaluate(theirs.number)).resolves.toEqual(
      data,
    );
    await world.killAndRestart();
    const again = await world.guest('alice');
    await expect(E(again).lookup('data')).resolves.toEqual(data);
    await expect(E(again).lookup('data')).resolves.toEqual(data);
    await expect(E(again).lookupById(mine.resultId)).resolves.toEqual(data);
    expect(await runsSeenBy(world.host())).toBe(1);
    await expect(E(world.host()).grantEvaluate(theirs.number)).rejects.toThrow(
      'was already granted, and its code has run',
    );
  });

  it('has its result still, though nothing names it', async () => {
    const world = await open();
    const alice = await world.guest('alice');
    const { theirs } = await propose(world.host(), alice, {
      source: '"nameless"',
    });
    await E(world.host()).grantEvaluate(theirs.number);
    await world.restart();
    const again = await world.guest('alice');
    const { result, resultId } = await readAgain(again, theirs);
    await expect(result).resolves.toBe('nameless');
    await expect(E(again).lookupById(resultId)).resolves.toBe('nameless');
  });

  it('has an object as its result again, made by the same code on the same values', async () => {
    const world = await open();
    const alice = await world.guest('alice');
    await E(alice).storeValue('shown', 'it');
    const { theirs } = await propose(world.host(), alice, {
      source: `Far('Teller', { tell: () => it })`,
      values: { it: 'it' },
      resultName: 'teller',
    });
    await E(world.host()).grantEvaluate(theirs.number);
    await E(alice).storeValue('another', 'it');
    await world.restart();
    const again = await world.guest('alice');
    const teller = (await E(again).lookup('teller')) as {
      readonly tell: () => Promise<unknown>;
    };
    await expect(E(teller).tell()).resolves.toBe('shown');
    const { state, result } = await readAgain(again, theirs);
    expect(state).toBe('granted');
    await expect(result).resolves.toBe(teller);
  });

  it('has no code run by the reading of mail, only by the lookup of what it made', async () => {
    const world = await open();
    const before = await world.guest('alice');
    const { mine } = await propose(world.host(), before, {
      source: `${SAY}.then(() => harden([Far('Teller', { tell: () => 1n })]))`,
      values: { agent: 'AGENT' },
      resultName: 'tellers',
    });
    const { number } = await readAgain(world.host(), mine);
    await E(world.host()).grantEvaluate(number);
    await world.restart();
    const alice = await world.guest('alice');
    for (const agent of [alice, world.host()]) {
      const read = await nextOf(agent, ({ source }) => source === mine.source);
      await expect(read.settled).resolves.toBe('fulfilled');
      const dormant = (await read.result) as {
        readonly help: () => Promise<string>;
      };
      await expect(E(dormant).help()).resolves.toContain('is not alive');
      await expect(E(alice).reverseLookup(dormant)).resolves.toEqual([
        'tellers',
      ]);
    }
    expect(await runsSeenBy(world.host())).toBe(1);
    const [teller] = (await E(alice).lookup('tellers')) as [
      { readonly tell: () => Promise<unknown> },
    ];
    await expect(E(teller).tell()).resolves.toBe(1n);
    expect(await runsSeenBy(world.host())).toBe(2);
    const { result } = await readAgain(alice, mine);
    await expect(result).resolves.toEqual([teller]);
    expect(await runsSeenBy(world.host())).toBe(2);
  });

  it('has no code run by the reading of data that holds an object', async () => {
    const world = await open();
    const before = await world.guest('alice');
    await E(world.host()).evaluate(
      undefined,
      `E(host).send('SELF', ['I ran'], [], []).then(() => Far('Made', {}))`,
      ['host'],
      ['AGENT'],
      'made',
    );
    await E(world.host()).send('alice', ['', ''], ['made'], ['made']);
    const { number } = (await messagesOf(before)).at(-1) as Message;
    await E(before).adopt(number, 'made', 'made');
    const { mine, theirs } = await propose(world.host(), before, {
      source: 'harden({ made, count: 1n })',
      values: { made: 'made' },
    });
    await E(world.host()).grantEvaluate(theirs.number);
    await world.restart();
    const { result } = await readAgain(await world.guest('alice'), mine);
    const { made, count } = (await result) as {
      readonly made: object;
      readonly count: bigint;
    };
    expect(count).toBe(1n);
    await expect(E(world.host()).reverseLookup(made)).resolves.toEqual([
      'made',
    ]);
    expect(await runsSeenBy(world.host())).toBe(1);
  });

  it.each(['SIGKILL', 'SIGTERM'])(
    'is lost when it runs while the daemon is ended by %s, and never run again',
    async (signal) => {
      const world = await open();
      const before = await world.guest('alice');
      const { mine, theirs } = await propose(world.host(), before, {
        source: `${SAY}.then(() => E(agent).request('HOST', 'may I go on?'))`,
        values: { agent: 'AGENT' },
        resultName: 'never',
      });
      const granted = E(world.host()).grantEvaluate(theirs.number);
      granted.catch(() => undefined);
      await nextOf(world.host(), ({ type }) => type === 'request');
      expect((await readAgain(before, mine)).state).toBe('running');
      if (signal === 'SIGKILL') await world.killAndRestart();
      else await world.restart();
      await expect(granted).rejects.toThrow();

      const lost =
        'lost: the daemon was stopped while the granted code ran; it may have run in part, and is not run again';
      const alice = await world.guest('alice');
      for (const agent of [alice, world.host()]) {
        const { state, settled, result } = await readAgain(agent, mine);
        expect(state).toBe('lost');
        await expect(settled).resolves.toBe('rejected');
        await expect(result).rejects.toThrow(lost);
      }
      await expect(
        E(world.host()).grantEvaluate(theirs.number),
      ).rejects.toThrow(
        'was already granted, and lost when the daemon was stopped while its code ran; it is not run again',
      );
      await expect(E(alice).lookupById(mine.resultId)).rejects.toThrow(lost);
      expect(await runsSeenBy(world.host())).toBe(1);
      await expect(E(alice).has('never')).resolves.toBe(false);
      expect(world.daemon.log()).toContain('are lost');
    },
  );
});

describe('granted code', () => {
  it('that does not come to an end is ended, and has failed', async () => {
    const world = await open({ HOB_EVAL_TIMEOUT_MS: '300' });
    const alice = await world.guest('alice');
    const { outcome, theirs } = await propose(world.host(), alice, {
      source: '(() => { for (;;); })()',
    });
    const words =
      /granted, but the code failed: .*did not settle within 300 ms/;
    await expect(E(world.host()).grantEvaluate(theirs.number)).rejects.toThrow(
      words,
    );
    await expect(outcome).rejects.toThrow(words);
    expect((await readAgain(alice, theirs)).state).toBe('failed');
    const next = await propose(world.host(), alice, { source: '"alive"' });
    await expect(
      E(world.host()).grantEvaluate(next.theirs.number),
    ).resolves.toBe('alive');
  });
});

describe('a proposal whose value is not there yet', () => {
  it.each(['a proposal', 'a request'])(
    'stays open over a restart when it is the answer to %s that is open',
    async (what) => {
      const world = await open({ HOB_EVAL_TIMEOUT_MS: '300' });
      const alice = await world.guest('alice');
      const asked =
        what === 'a request'
          ? E(alice).request('HOST', 'a number')
          : E(alice).evaluate(undefined, '40', [], []);
      asked.catch(() => undefined);
      await E(alice).has('x');
      const question = (await messagesOf(alice)).at(-1) as Message;
      await E(alice).write(
        'it',
        what === 'a request' ? question.promiseId : question.resultId,
      );
      const { outcome, mine, theirs } = await propose(world.host(), alice, {
        source: 'Promise.resolve(number).then(n => n + 2)',
        values: { number: 'it' },
      });
      const grant = (): Promise<unknown> =>
        E(world.host()).grantEvaluate(theirs.number);
      await expect(grant()).rejects.toThrow(
        `The proposal in message ${theirs.number} was not granted: what "number" stands for is not there after 300 ms; it may be the answer to something that is still open. Nothing ran, and it is still open`,
      );
      expect((await readAgain(alice, mine)).state).toBe('open');
      const waiting = grant();
      waiting.catch(() => undefined);
      outcome.catch(() => undefined);
      await E(world.host()).has('x');
      await world.killAndRestart();
      const again = await world.guest('alice');
      expect((await readAgain(again, mine)).state).toBe('open');
      const host = world.host();
      const { number } = await readAgain(host, question);
      await E(host).storeValue(40, 'forty');
      await (what === 'a request'
        ? E(host).resolve(number, 'forty')
        : E(host).grantEvaluate(number));
      await expect(grant()).resolves.toBe(42);
      expect((await readAgain(again, mine)).state).toBe('granted');
    },
  );

  it('runs once when the answer comes, though it was granted twice meanwhile', async () => {
    const world = await open();
    const alice = await world.guest('alice');
    const host = world.host();
    const first = await propose(host, alice, { source: '40' });
    await E(alice).write('it', first.mine.resultId);
    const { theirs } = await propose(host, alice, {
      source: `${SAY}.then(() => number + 2)`,
      values: { agent: 'AGENT', number: 'it' },
    });
    const grants = [1, 2].map(() => E(host).grantEvaluate(theirs.number));
    for (const grant of grants) grant.catch(() => undefined);
    await E(host).grantEvaluate(first.theirs.number);
    await expect(Promise.any(grants)).resolves.toBe(42);
    await expect(Promise.all(grants)).rejects.toThrow('was already granted');
    expect(await runsSeenBy(host)).toBe(1);
  });

  it('can be refused while it is waited for', async () => {
    const world = await open();
    const alice = await world.guest('alice');
    const host = world.host();
    const first = await propose(host, alice, { source: '40' });
    await E(alice).write('it', first.mine.resultId);
    const { outcome, theirs } = await propose(host, alice, {
      source: `${SAY}.then(() => it)`,
      values: { agent: 'AGENT', it: 'it' },
    });
    const grant = E(host).grantEvaluate(theirs.number);
    grant.catch(() => undefined);
    await E(host).reject(theirs.number, 'after all not');
    await E(host).grantEvaluate(first.theirs.number);
    await expect(grant).rejects.toThrow('was already rejected');
    await expect(outcome).rejects.toThrow('after all not');
    expect(await runsSeenBy(host)).toBe(0);
  });

  it('stays open, and says why, when the answer is a refusal', async () => {
    const world = await open();
    const alice = await world.guest('alice');
    const host = world.host();
    const first = await propose(host, alice, { source: '40' });
    await E(alice).write('it', first.mine.resultId);
    const { mine, theirs } = await propose(host, alice, {
      source: 'it',
      values: { it: 'it' },
    });
    const grant = E(host).grantEvaluate(theirs.number);
    grant.catch(() => undefined);
    await E(host).reject(first.theirs.number, 'too dull');
    await expect(grant).rejects.toThrow(
      /was not granted: too dull\. Nothing ran, and it is still open/,
    );
    expect((await readAgain(alice, mine)).state).toBe('open');
  });
});

describe('a follower of messages', () => {
  it('passes on proposals in every state, again after a restart', async () => {
    const world = await open();
    const alice = await world.guest('alice');
    const host = world.host();
    const make = (source: string) => propose(host, alice, { source });
    const numbers: bigint[] = [];
    for (const source of ['1', 'bad(', '3', '4', '5'])
      numbers.push((await make(source)).theirs.number);
    const [granted, failed, rejected, countered] = numbers;
    await E(host).grantEvaluate(granted);
    await E(host)
      .grantEvaluate(failed)
      .catch(() => undefined);
    await E(host).reject(rejected);
    await E(host).counterEvaluate(countered, '4 + 1', [], []);
    await world.restart();
    const again = await world.guest('alice');
    for (const agent of [again, world.host()]) {
      const states: string[] = [];
      const last = await nextOf(agent, ({ source, state }) => {
        states.push(state);
        return source === '4 + 1';
      });
      const inOrder = ['granted', 'failed', 'rejected', 'countered', 'open'];
      expect(states).toEqual([...inOrder, 'open']);
      expect(await messagesOf(agent)).toHaveLength(6);
      expect(last.replyTo).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(world.daemon.log()).not.toContain('unhandled rejection');
  });
});
