import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { askAsTold } from '../support/asking-model.ts';
import {
  type HostCli,
  type ListedMail,
  makeHostCli,
} from '../support/host-cli.ts';
import { introduce } from '../support/second-agent.ts';
import { type System, startSystem } from '../support/system.ts';

let system: System;
let cli: HostCli;

const does = async (...argv: string[]): Promise<string> => {
  const { code, out, err } = await cli.hob(argv);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};

beforeAll(async () => {
  system = await startSystem(askAsTold);
  cli = makeHostCli(system.daemon.statePath);
  await does('mkguest', 'bob');
  await introduce(system, 'hob', 'bob');
  await does('store', 'pen', '--text', 'a pen of the HOST');
  await does('store', 'pen', '--text', "Bob's pen", '--as', 'profile-for-bob');
});
afterAll(() => system.stop());

/** Whoever is asked: how he is called by the agent, and acts at the CLI. */
type Asked = { readonly name: string; readonly as?: string };
const HOST: Asked = { name: 'HOST' };
const BOB: Asked = { name: 'bob', as: 'bob' };

type Request = {
  /** In the mailbox of the one who is asked. */
  readonly number: string;
  /** Of what the HOST had written. */
  readonly question: string;
};

/** Has the agent ask for this in a conversation of its own. */
const request = async ({ name, as }: Asked, what: string): Promise<Request> => {
  const text = `request ${name} ${what}`;
  const { code, out } = await cli.hob(['talk', 'hob'], { lines: [text] });
  // Only what the HOST himself is asked waits for his decision.
  expect(code).toBe(as === undefined ? 3 : 0);
  expect(out).toMatch(/^Asked\.$/mu);
  const asked = (await cli.mail(as)).find(
    ({ description }) => description === what,
  );
  const question = (await cli.mail()).find(
    ({ strings }) => strings?.[0] === text,
  );
  if (asked === undefined || question === undefined) {
    throw Error(`Not asked: ${out}`);
  }
  return { number: asked.number, question: question.messageId };
};

const decide = async (
  { as }: Asked,
  verb: 'resolve' | 'reject',
  ...words: string[]
): Promise<void> => {
  const acting = as === undefined ? [] : ['--as', `profile-for-${as}`];
  await does(verb, ...acting, ...words);
};

/** What the agent told in reply to the message that had it ask. */
const told = async ({ question }: Request, text: string): Promise<ListedMail> =>
  cli.mailOnce(
    ({ replyTo, strings }) =>
      replyTo === question && strings?.[0]?.includes(text) === true,
  );

/** Mail of the HOST that has nothing to do with it is answered. */
const expectAnswers = async (): Promise<void> => {
  const { code, out } = await cli.hob(['talk', 'hob'], { lines: ['Hello'] });
  expect({ code, out }).toEqual({ code: 0, out: 'You said: Hello\n' });
};

describe.each([
  { who: 'its HOST', asked: HOST, value: 'a pen of the HOST', by: 'HOST' },
  { who: 'another guest', asked: BOB, value: "Bob's pen", by: '"bob"' },
])('what the agent requests of $who', ({ asked, value, by }) => {
  it('is awaited while other mail is answered, and told when it comes', async () => {
    const open = await request(asked, 'a pen to write with');
    await expectAnswers();
    await decide(asked, 'resolve', open.number, 'pen');
    const { strings } = await told(open, `Result: "${value}"`);
    expect(strings?.[0]).toContain(`was granted by ${by}`);
    const [, name = ''] =
      /It is named "([^"]+)"/u.exec(strings?.[0] ?? '') ?? [];
    const shown = await does('show', name, '--as', 'profile-for-hob');
    expect(shown).toContain(value);
  });

  it('is told with the reason when it is refused', async () => {
    const open = await request(asked, 'a second pen');
    await expectAnswers();
    await decide(asked, 'reject', open.number, 'one', 'is', 'enough');
    const { strings } = await told(open, 'Reason: "one is enough"');
    expect(strings?.[0]).toContain(`was rejected by ${by}`);
  });

  it('is decided once', async () => {
    const open = await request(asked, 'a third pen');
    await decide(asked, 'resolve', open.number, 'pen');
    await told(open, 'Result: ');
    const acting = asked.as === undefined ? [] : ['--as', 'profile-for-bob'];
    for (const late of [
      ['resolve', ...acting, open.number, 'pen'],
      ['reject', ...acting, open.number, 'no'],
    ]) {
      const { code, err } = await cli.hob(late);
      expect(code).toBe(1);
      expect(err).toContain('already');
    }
  });
});

describe('requests that are open when the daemon is killed', () => {
  const open: { readonly asked: Asked; readonly request: Request }[] = [];
  beforeAll(async () => {
    for (const asked of [HOST, BOB])
      for (const what of ['to be given', 'to be refused'])
        open.push({ asked, request: await request(asked, what) });
    await system.daemon.kill9();
    await system.daemon.restart();
  });

  it('are listed after it, and other mail is answered', async () => {
    await expectAnswers();
    for (const { as } of [HOST, BOB]) {
      const listed = (await cli.mail(as)).filter(
        ({ type, state }) => type === 'request' && state === 'open',
      );
      expect(listed.map(({ description }) => description)).toEqual([
        'to be given',
        'to be refused',
      ]);
    }
  });

  it('are decided after it, and told in the conversations that asked', async () => {
    for (const [at, { asked, request: each }] of open.entries()) {
      const isGiven = at % 2 === 0;
      const verb = isGiven ? 'resolve' : 'reject';
      await decide(asked, verb, each.number, isGiven ? 'pen' : 'none left');
    }
    for (const [at, { request: each }] of open.entries()) {
      const text = at % 2 === 0 ? 'Result: ' : 'Reason: "none left"';
      const { strings } = await told(each, text);
      // It goes on in the conversation that asked.
      expect(strings?.[0]).toMatch(/^\[depth:4\] /u);
    }
    await expectAnswers();
  });
});
