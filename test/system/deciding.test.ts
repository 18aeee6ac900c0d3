import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runHob } from '../cli/process.ts';
import { askAsTold } from '../support/asking-model.ts';
import {
  type HostCli,
  type ListedMail,
  makeHostCli,
} from '../support/host-cli.ts';
import { type System, startSystem } from '../support/system.ts';

let system: System;
let cli: HostCli;
beforeAll(async () => {
  system = await startSystem(askAsTold);
  cli = makeHostCli(system.daemon.statePath);
  // Who can write to the HOST from code that was granted.
  await cli.hob(['mkguest', 'witness']);
  const paths = ['profile-for-witness', 'profile-for-hob/witness'];
  const { code, err } = await cli.hob(['copy', ...paths]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
});
afterAll(() => system.stop());

type Proposed = {
  readonly number: string;
  readonly messageId: string;
  /** Of what the HOST had written. */
  readonly question: string;
};

/** Has the agent propose this in a conversation of its own. */
const propose = async (source: string): Promise<Proposed> => {
  const talk = await cli.hob(['talk', 'hob'], { lines: [`propose ${source}`] });
  expect(talk.code).toBe(3);
  expect(talk.out).toMatch(/^Asked\.$/mu);
  const mail = await cli.mail();
  const proposal = mail.find((each) => each.source === source);
  const question = mail.find(
    ({ strings }) => strings?.[0] === `propose ${source}`,
  );
  if (proposal === undefined || question === undefined) {
    throw Error(`Not proposed: ${talk.out}`);
  }
  const { number, messageId } = proposal;
  return { number, messageId, question: question.messageId };
};

/** What the agent told in reply to the message that had it propose. */
const told = async (
  { question }: Proposed,
  text: string,
): Promise<ListedMail> =>
  cli.mailOnce(
    ({ replyTo, strings }) =>
      replyTo === question && strings?.[0]?.includes(text) === true,
  );

const proposalOf = (source: string): Promise<ListedMail> =>
  cli.mailOnce(
    (each) =>
      each.source === source &&
      each.type === 'eval-proposal-reviewer' &&
      each.state === 'open',
  );

const stateOf = async (messageId: string): Promise<string | undefined> =>
  (await cli.mail()).find((each) => each.messageId === messageId)?.state;

const killAndRestart = async (): Promise<void> => {
  await system.daemon.kill9();
  await system.daemon.restart();
};

type Decide = (
  verb: 'grant' | 'reject' | 'counter',
  number: string,
  words?: string,
) => Promise<{ readonly code: number | null; readonly all: string }>;

const lineOf = (verb: string, number: string, words = ''): string =>
  `/${verb} #${number} ${words}`.trimEnd();

/** How a HOST decides: what each way is called, and does. */
const ways: { readonly [way: string]: Decide } = {
  'a verb': async (verb, number, words = '') => {
    const rest = {
      grant: [],
      reject: words.split(' '),
      counter: ['--source', words],
    }[verb];
    const { code, out, err } = await cli.hob([verb, number, ...rest]);
    return { code, all: out + err };
  },
  'a line in a pipe to talk': async (...decision) => {
    const { statePath } = system.daemon;
    const input = `${lineOf(...decision)}\n`;
    const { code, out, err } = await runHob(statePath, ['talk', 'hob'], {
      input,
    });
    return { code, all: out + err };
  },
  'a line typed in talk': async (...decision) => {
    const lines = [lineOf(...decision), '/quit'];
    const options = { isTTY: true, lines };
    const { code, out, err } = await cli.hob(['talk', 'hob'], options);
    return { code, all: out + err };
  },
};

// What each way decides has numbers of its own, to be told apart by.
describe.each(
  Object.entries(ways).map(([way, decide], at) => ({
    way,
    decide,
    at: at + 1,
  })),
)(
  'what was proposed before the daemon was killed, and is decided after it by $way,',
  ({ way, decide, at }) => {
    // Whoever types goes on talking.
    const refused = way === 'a line typed in talk' ? 0 : 1;
    const sources = {
      granted: `${at} + 100`,
      rejected: `${at} + 200`,
      accepted: `${at} + 300`,
      declined: `${at} + 400 /* mine */`,
    };
    const proposed: { [fate: string]: Proposed } = {};
    const of = (fate: keyof typeof sources): Proposed => {
      const found = proposed[fate];
      if (found === undefined) throw Error(`Nothing was proposed as ${fate}`);
      return found;
    };

    beforeAll(async () => {
      for (const [fate, source] of Object.entries(sources))
        proposed[fate] = await propose(source);
      await killAndRestart();
    });

    it('is granted: its result reaches the conversation that asked', async () => {
      const proposal = of('granted');
      const granted = await decide('grant', proposal.number);
      expect(granted.code).toBe(0);
      expect(granted.all).toContain(String(at + 100));
      const { strings } = await told(proposal, `Result: ${at + 100}`);
      // It goes on in the conversation that asked.
      expect(strings?.[0]).toMatch(/^\[depth:4\] /u);
      const again = await decide('grant', proposal.number);
      expect(again.code).toBe(refused);
      expect(again.all).toContain(`was already granted, and its code has run`);
    });

    it('is rejected: so does the reason', async () => {
      const proposal = of('rejected');
      const words = `not "today"; ask ${at}`;
      expect(await decide('reject', proposal.number, words)).toMatchObject({
        code: 0,
      });
      await told(proposal, `Reason: ${JSON.stringify(words)}`);
      expect(await stateOf(proposal.messageId)).toBe('rejected');
      const late = await decide('grant', proposal.number);
      expect(late.code).toBe(refused);
      expect(late.all).toContain('was already rejected');
    });

    it('is countered, and the counter is accepted', async () => {
      const proposal = of('accepted');
      const better = `${at} + 350`;
      await decide('counter', proposal.number, better);
      const counter = await cli.mailOnce(
        ({ replyTo }) => replyTo === proposal.messageId,
      );
      expect(counter.source).toBe(better);
      const anew = await proposalOf(better);
      expect(await decide('grant', anew.number)).toMatchObject({ code: 0 });
      await told(proposal, `Result: ${at + 350}`);
      expect(await stateOf(proposal.messageId)).toBe('countered');
      const late = await decide('grant', proposal.number);
      expect(late.code).toBe(refused);
      expect(late.all).toContain('countered');
    });

    it('is countered, and the counter is declined', async () => {
      const proposal = of('declined');
      const other = `${at} + 450`;
      await decide('counter', proposal.number, other);
      await told(proposal, 'No: I keep to mine.');
      const made = (await cli.mail()).filter(({ source }) => source === other);
      expect(made.map(({ type }) => type)).toEqual(['eval-proposal-proposer']);
    });
  },
);

describe('a proposal of an earlier talk', () => {
  it('is told of in the conversation that is continued, also through a pipe', async () => {
    const proposal = await propose('500 + 1');
    await killAndRestart();
    const said = await told(proposal, 'Asked.');
    const talk = await cli.hob(['talk', 'hob'], {
      lines: [`/to ${said.number}`, `/grant ${proposal.number}`, 'Go on'],
    });
    expect(talk).toMatchObject({ code: 0 });
    expect(talk.out).toMatch(
      /^Outcome: [\s\S]*Result: 501\n[\s\S]*\nYou said: Go on\n$/u,
    );
  });
});

describe('granted code', () => {
  const say = (word: string): string =>
    `E(witness).send('HOST', ['${word}'], [], [])`;

  const timesSaid = async (word: string): Promise<number> =>
    (await cli.mail()).filter(({ strings }) => strings?.[0] === word).length;

  it('has run once, though its result is looked up three times after a restart', async () => {
    const source = `${say('I ran')}.then(() => harden({ ran: true }))`;
    const proposal = await propose(source);
    const granted = await cli.hob(['grant', proposal.number]);
    expect(granted).toMatchObject({ code: 0, err: '' });
    await told(proposal, 'Result: { ran: true }');
    await killAndRestart();
    const show = ['show', `result-${source.length}`, '--as', 'profile-for-hob'];
    for (let time = 0; time < 3; time += 1)
      expect((await cli.hob(show)).out).toBe(granted.out);
    const again = await cli.hob(['grant', proposal.number]);
    expect(again.code).toBe(1);
    expect(again.err).toContain('was already granted, and its code has run');
    expect(await timesSaid('I ran')).toBe(1);
  });

  it('that the daemon was killed in is lost: the conversation that asked is told, and it does not run again', async () => {
    const proposal = await propose(
      `${say('I began')}.then(() => E(witness).request('HOST', 'a pause'))`,
    );
    const granting = cli.hob(['grant', proposal.number]);
    await cli.mailOnce(({ description }) => description === 'a pause');
    await killAndRestart();
    expect((await granting).code).toBe(1);
    const { strings } = await told(proposal, 'was granted by HOST, but');
    expect(strings?.[0]).toContain('may have run in part');
    const again = await cli.hob(['grant', proposal.number]);
    expect(again.code).toBe(1);
    expect(again.err).toContain('lost when the daemon was stopped');
    expect(await timesSaid('I began')).toBe(1);
  });
});
