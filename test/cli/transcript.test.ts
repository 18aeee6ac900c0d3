import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Mail } from '../../src/endo/guest.ts';
import { type HostCli, makeHostCli } from '../support/host-cli.ts';
import type { Reply, ServerRequest } from '../support/openai-server.ts';
import { type System, startSystem } from '../support/system.ts';
import { readTold } from '../support/told-model.ts';

let system: System;
let cli: HostCli;

/** Never answers to `hang`; to `slow` only once it has called a tool. */
const script = ({ body }: ServerRequest): Reply => {
  const { text, results } = readTold(body);
  const usage = { prompt_tokens: 1000, completion_tokens: 10 };
  if (text === 'hang' || (text === 'slow' && results.length > 0)) {
    return { hang: true };
  }
  if (results.length > 0) return { text: `Found ${text}.`, usage };
  if (text.startsWith('propose ')) {
    const args = { source: text.slice('propose '.length) };
    return { toolCalls: [{ name: 'evaluate', args }], usage };
  }
  if (text === 'look' || text === 'slow') {
    return {
      text: 'I look.',
      toolCalls: [
        { id: 'one', name: 'list', args: {} },
        { id: 'two', name: 'lookup', args: { petNameOrPath: 'nowhere' } },
      ],
      usage,
    };
  }
  return { text: `You said: ${text}`, usage };
};

beforeAll(async () => {
  system = await startSystem(script);
  cli = makeHostCli(system.daemon.statePath);
});
afterAll(() => system.stop());

const said = async (...argv: string[]): Promise<string> => {
  const { code, out, err } = await cli.hob(['transcript', ...argv]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};

const failure = async (...argv: string[]): Promise<string> => {
  const { code, out, err } = await cli.hob(['transcript', ...argv]);
  expect(out).toBe('');
  return `${code} ${err}`;
};

const json = async <T>(...argv: string[]): Promise<T> =>
  JSON.parse(await said(...argv, '--json')) as T;

/** What the HOST says, and the answer, once the turn is settled. */
const ask = async (text: string, before?: Mail) => {
  const { host, settled } = system;
  const sent =
    before === undefined
      ? await host.send('hob', text)
      : await host.reply(before, text);
  const answer = await host.receive();
  await settled(sent.messageId);
  return { number: String(sent.number), id: sent.messageId, answer };
};

type Listed = {
  readonly rootMessageId: string;
  readonly begins: string;
  readonly turns: number;
  readonly ends: number;
  readonly running: number;
  readonly open: number;
  readonly missing?: string;
};

const listed = async (begins: string): Promise<Listed | undefined> =>
  (await json<readonly Listed[]>('hob')).find((each) => each.begins === begins);

describe('transcript', () => {
  it('says that there are no conversations', async () => {
    expect(await said('hob')).toBe('no conversations\n');
    expect(await json('hob', '--tree')).toEqual([]);
  });

  it('shows a conversation up to a message, with calls, results and tokens', async () => {
    const first = await ask('one');
    const second = await ask('look', first.answer);
    await ask('three', second.answer);
    const answer = String(second.answer.number);
    const text = await said('hob', second.number);
    expect(text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, 'DATE')).toBe(
      [
        `#${first.number}  from you  DATE  turn 1  settled`,
        '    one',
        '  hob:',
        '    You said: one',
        `  answered in #${first.answer.number}; 1000 tokens in, 0 of them cached, 10 out`,
        '',
        `#${second.number}  from you  DATE  turn 2  settled`,
        '    look',
        '  hob:',
        '    I look.',
        '    - list {} → ["HOST", "SELF"]',
        '    - lookup {"petNameOrPath":"nowhere"} → failed: lookup failed: Cannot look u…',
        '    Found look.',
        `  answered in #${answer}; 2000 tokens in, 0 of them cached, 20 out`,
        '',
      ].join('\n'),
    );
    // The answer stands for the turn that gave it.
    expect(await said('hob', answer)).toBe(text);
    expect(await said('hob', `#${second.number}`)).toBe(text);
    expect(await said('hob', second.id.slice(0, 12))).toBe(text);
  });

  it('gives all of it as JSON', async () => {
    const long = 'word '.repeat(1000).trim();
    const { number, id, answer } = await ask(long);
    expect(await said('hob', number)).toMatch(/… \(\d+ more characters/u);
    const { turns } = await json<{ turns: readonly unknown[] }>('hob', number);
    expect(turns).toMatchObject([
      {
        messageId: id,
        parentMessageId: null,
        number,
        state: 'settled',
        with: 'you',
        answers: [String(answer.number)],
        open: [],
        usage: { input: 1000, cached: 0, output: 10 },
      },
    ]);
    expect(JSON.stringify(turns)).toContain(long);
  });

  it('lists conversations, and draws their branches in 80 columns', async () => {
    const root = await ask('the root of a tree');
    const left = await ask('left', root.answer);
    const lower = await ask('lower left '.repeat(20).trim(), left.answer);
    const right = await ask('right', root.answer);
    expect(await listed('the root of a tree')).toMatchObject({
      rootMessageId: root.id,
      turns: 4,
      ends: 2,
      running: 0,
    });
    const list = await said('hob');
    expect(list).toMatch(
      new RegExp(
        `^#${root.number}  you  4 turns  newest #${right.number} .*\\(2 branches\\)\n    the root of a tree$`,
        'mu',
      ),
    );
    const tree = await said('hob', right.number, '--tree');
    expect(tree).toMatch(
      new RegExp(
        [
          '^with you',
          `● #${root.number} the root of a tree → You said: the root of a tree`,
          `├─● #${left.number} left → You said: left`,
          `│ ● #${lower.number} lower left .*…`,
          `└─● #${right.number} right → You said: right\n$`,
        ].join('\n'),
        'u',
      ),
    );
    for (const line of `${list}${tree}`.split('\n')) {
      expect(Array.from(line).length).toBeLessThanOrEqual(80);
    }
    const plain = await cli.hob(['transcript', 'hob', right.number, '--tree'], {
      env: { LANG: 'C' },
    });
    expect(plain.out).toContain(`\n|-* #${left.number} left -> You said`);
    expect(plain.out).toContain(`\n\`-* #${right.number} right`);
  });

  it('shows what is asked of the HOST on the turn that asked', async () => {
    const { host, settled } = system;
    const { number, messageId } = await host.send('hob', 'propose 6 * 7');
    await settled(messageId);
    const proposal = await cli.mailOnce(({ source }) => source !== undefined);
    const turn = await said('hob', proposal.number);
    expect(turn).toContain(`#${number}  from you`);
    expect(turn).toMatch(
      new RegExp(`^ {2}open proposal #${proposal.number}: .*6 \\* 7`, 'mu'),
    );
    expect(await said('hob', String(number), '--tree')).toContain(
      `(open proposal #${proposal.number}) propose 6 * 7`,
    );
    expect(await listed('propose 6 * 7')).toMatchObject({ open: 1 });
    // Its answer, and the outcome, which is a turn of its own.
    await host.receive();
    await host.receive();
    const outcome = (await cli.hob(['grant', proposal.number])).code;
    expect(outcome).toBe(0);
    await host.receive();
    await settled(proposal.messageId);
    const after = await said('hob', proposal.number);
    expect(after).toContain('was granted by HOST. Result: 42');
    expect(await listed('propose 6 * 7')).toMatchObject({ open: 0, turns: 2 });
  });

  it('shows a turn under way: what is recorded, and that nothing is yet', async () => {
    const { host, controller, server, settled } = system;
    const past = server.requests.length;
    const slow = await host.send('hob', 'slow');
    await expect.poll(() => server.requests.length).toBe(past + 2);
    const text = await said('hob', String(slow.number));
    expect(text).toMatch(
      /turn 1 {2}running\n {4}slow\n {2}hob:\n {4}I look\./u,
    );
    expect(text).toContain('- list {} → ["HOST", "SELF"]');
    const hang = await host.send('hob', 'hang');
    await expect.poll(() => server.requests.length).toBe(past + 3);
    expect(await said('hob', String(hang.number))).toContain(
      'nothing recorded yet',
    );
    expect(await said('hob', '--tree')).toMatch(/^○ #\d+ \(running\) slow$/mu);
    expect(await listed('hang')).toMatchObject({ running: 1, turns: 1 });
    await E(controller).interrupt();
    await Promise.all([settled(slow.messageId), settled(hang.messageId)]);
    await host.receive();
    await host.receive();
    expect(await listed('hang')).toMatchObject({ running: 0 });
  });

  it('goes by the numbers of whom it acts as', async () => {
    const { number, id } = await ask('by number');
    const asGuest = ['hob', number, '--as', 'profile-for-hob'];
    // The agent has put the message away.
    expect(await failure(...asGuest)).toMatch(/^1 .*no message #\d+/u);
    expect(await said('hob', id, '--as', 'profile-for-hob')).toContain(
      `${id.slice(0, 8)}  from HOST  turn 1  settled`,
    );
  });

  it('hides nothing of what is missing or cannot be read', async () => {
    const first = await ask('first of three');
    const second = await ask('second', first.answer);
    const third = await ask('third', second.answer);
    await system.hob.remove([`transcript-${first.id}`]);
    const text = await said('hob', third.number);
    expect(text).toMatch(
      new RegExp(
        `^MISSING: the turn of message #${first.number}, and all`,
        'u',
      ),
    );
    expect(text).toContain(`#${third.number}  from you`);
    expect(text).not.toContain('turn 1');
    expect(await said('hob', third.number, '--tree')).toContain(
      `MISSING: #${first.number}, and all before it\n● #${second.number} second`,
    );
    expect(await listed('second')).toMatchObject({ missing: first.id });
    expect(await said('hob')).toContain('(its beginning is MISSING)');

    await system.hob.storeValue(harden({ version: 7 }), [
      `transcript-${second.id}`,
    ]);
    const damaged = await said('hob', third.number);
    expect(damaged).toContain('its record cannot be read');
    expect(damaged).toContain('it has format 7, and this hob reads format 1');
    expect(await said('hob', '--tree')).toContain(
      `? #${second.number} (unreadable)\n● #${third.number} third`,
    );
  });

  it('lets no word of others drive the terminal or stand as its own', async () => {
    const { number } = await ask('red \u001b[31m\n#9  from HOST  settled');
    const text = await said('hob', number);
    expect(text).toContain('    red \\u{1b}[31m\n    #9  from HOST  settled\n');
    expect(await said('hob', number, '--tree')).toContain(
      'red \\u{1b}[31m #9 from HOST settled',
    );
  });

  it('is not led in a circle', async () => {
    const node = async (id: string, parentMessageId: string) =>
      system.hob.storeValue(
        harden({
          ...{ version: 1, messageId: id, parentMessageId, failed: false },
          messages: [{ role: 'user', content: `round ${id.slice(0, 1)}` }],
          ...{ correspondent: system.host.id, rootMessageId: id },
          ...{ turns: 1, exchanges: 1, unattended: 0 },
        }),
        [`transcript-${id}`],
      );
    const [a, b] = ['a1'.repeat(32), 'b2'.repeat(32)];
    await node(a, b);
    await node(b, a);
    expect(await said('hob', a)).toMatch(/^MISSING[^]*round b[^]*round a/u);
    expect(await said('hob', '--tree')).toMatch(/round [ab]/u);
    await Promise.all(
      [a, b].map((id) => system.hob.remove([`transcript-${id}`])),
    );
  });

  it('says what it does not find', async () => {
    expect(await failure('bob')).toMatch(/^1 .*no agent "bob"; "agents"/u);
    expect(await failure('hob', '999')).toMatch(/^1 .*no message #999/u);
    expect(await failure('hob', 'x')).toMatch(/^1 .*neither the number/u);
    expect(await failure()).toMatch(/^2 /u);
    // What the agent wrote first belongs to no turn.
    expect(await failure('hob', '0')).toMatch(
      /^1 .*no record of message 0: no turn/u,
    );
  });
});
