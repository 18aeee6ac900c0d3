import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCli } from './in-process.ts';
import type { RunningCli } from './in-process.ts';

const fixture = (name: string): string =>
  join(import.meta.dirname, 'fixtures', name);

let statePath = '';
let hob: ReturnType<typeof makeCli>;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
  hob = makeCli(statePath);
  await hob(['start']);
  const make = ['run', '--UNCONFINED', fixture('make-echo.ts')];
  await hob([...make, 'echo']);
  await hob([...make, 'far', 'elsewhere']);
  await hob(['store', 'tally', '--bigint', '7']);
});

afterAll(async () => {
  await hob(['stop']);
  await rm(statePath, { recursive: true });
});

/** Ends what earlier tests have left open, so that each begins anew. */
const decideAll = async (): Promise<void> => {
  const { out } = await hob(['inbox', '--json']);
  const messages = JSON.parse(out) as readonly {
    readonly number: string;
    readonly state?: string;
    readonly type: string;
  }[];
  for (const { number, state, type } of messages) {
    if (state === 'open' && type !== 'eval-proposal-proposer') {
      await hob(['reject', number]);
    }
  }
};

type Act = string | ((world: RunningCli) => void);

/** Types each line when the text before it has been seen, in this order. */
const atTerminal = (
  ...script: readonly (readonly [seen: string, act: Act])[]
) => {
  const waiting = [...script];
  return hob(['talk', 'echo'], {
    isTTY: true,
    lines: [],
    onText: (text, world) => {
      const [first] = waiting;
      if (first === undefined || !text.includes(first[0])) return;
      waiting.shift();
      const [, act] = first;
      if (typeof act === 'string') world.type(act);
      else act(world);
    },
  });
};

describe('a decision, in a pipe', () => {
  it('that the next line makes is obeyed, and its outcome awaited', async () => {
    const { code, out, err } = await hob(['talk', 'echo'], {
      lines: ['propose 6 * 7', '/grant', 'and then'],
    });
    expect(code).toBe(0);
    expect(out).toMatch(
      /echo needs a decision \(#\d+\):\n {2}proposes to run code\n[\s\S]*proposed\n(?:granted: 42\n)echo: and then\n$/u,
    );
    expect(err).toMatch(/granted #\d+; its result: 42/u);
  });

  it('is refused with a reason', async () => {
    const { code, out } = await hob(['talk', 'echo'], {
      lines: ['propose 6 * 7', '/reject not now'],
    });
    expect(code).toBe(0);
    expect(out).toMatch(/refused: not now\n$/u);
  });

  it('answers a request', async () => {
    const { code, out } = await hob(['talk', 'echo'], {
      lines: ['ask a number', '/resolve tally'],
    });
    expect(code).toBe(0);
    expect(out).toMatch(/granted: 7\n$/u);
  });

  it('is asked of somebody else when no line makes it', async () => {
    const { code, out, err } = await hob(['talk', 'echo'], {
      lines: ['propose 1', '/open', 'not sent'],
    });
    expect(code).toBe(3);
    expect(out).not.toContain('echo: not sent');
    const number = /decision \(#(\d+)\)/u.exec(out)?.[1] ?? '?';
    expect(err).toContain(
      `a decision is needed on #${number}: "npm run -s hob -- grant ${number}"`,
    );
    expect(err).toContain('the lines that follow were not sent');
    await decideAll();
  });

  it('that is wrong ends the script with an error', async () => {
    const none = await hob(['talk', 'echo'], { lines: ['/grant', 'not sent'] });
    expect(none.code).toBe(1);
    expect(none.err).toContain('no proposal is open; /open lists what is');
    expect(none.out).toBe('');
    const lines = ['propose 1', '/counter'];
    const bare = await hob(['talk', 'echo'], { lines });
    expect(bare.code).toBe(2);
    expect(bare.err).toContain('/counter needs code');
    await decideAll();
  });

  it('of several that are open has to be named', async () => {
    const { code, out, err } = await hob(['talk', 'far'], {
      lines: ['ask one'],
    });
    expect(code).toBe(3);
    const first = /decision \(#(\d+)\)/u.exec(out)?.[1] ?? '?';
    const again = await hob(['talk', 'far'], {
      lines: ['ask two', '/resolve tally'],
    });
    expect(again.code).toBe(2);
    const second = /decision \(#(\d+)\)/u.exec(again.out)?.[1] ?? '?';
    expect(again.err).toContain(
      `#${first}, #${second} are open: say which, as /resolve ${first}`,
    );
    expect(err).toContain(`resolve ${first} <name>`);
    const named = await hob(['talk', 'far'], {
      lines: ['/open', `/reject ${first} no`, `/resolve #${second} tally`],
    });
    expect(named.code).toBe(0);
    expect(named.out).toContain('asks for: one');
    expect(named.out).toContain('asks for: two');
  });

  it('is one JSON document with the rest when asked', async () => {
    const { out } = await hob(['talk', 'echo', '--json'], {
      lines: ['propose 6 * 7', '/grant'],
    });
    expect(JSON.parse(out)).toMatchObject([
      { type: 'eval-proposal-reviewer', source: '6 * 7', state: 'open' },
      { strings: ['proposed'] },
      { strings: ['granted: 42'] },
    ]);
  });
});

describe('a decision, at a terminal', () => {
  beforeEach(decideAll);

  it('is shown in place, made, and answered in place', async () => {
    const { code, out } = await atTerminal(
      ['talking with', 'propose 6 * 7'],
      ['proposed', '/grant'],
      ['granted: 42', '/quit'],
    );
    expect(code).toBe(0);
    expect(out).toMatch(/ {4}1 {2}6 \* 7\n {2}to decide:\n {4}\/grant \d+\n/u);
    expect(out).toMatch(/echo> #\d+\n {2}granted: 42\n/u);
  });

  it('is made while a turn runs', async () => {
    const { code, out, err } = await atTerminal(
      ['talking with', 'propose 6 * 7'],
      ['proposed', 'hang'],
      ['thinking', '/grant'],
      ['its result: 42', '/inbox'],
      ['(granted)', ({ ctrlC }) => ctrlC()],
      ['the turn has ended', '/quit'],
    );
    expect(code).toBe(0);
    expect(err).toContain('stopping the turn');
    expect(out).toMatch(/echo> #\d+\n {2}granted: 42\n/u);
  });

  it('that is typed ahead waits for what it is about', async () => {
    const { code, out } = await hob(['talk', 'echo'], {
      isTTY: true,
      lines: ['propose 6 * 7', '/grant', 'and then', '/quit'],
    });
    expect(code).toBe(0);
    expect(out).toMatch(/granted: 42\n[\s\S]*echo: and then\n/u);
  });

  it('that is wrong is told, and the talk goes on', async () => {
    const { code, err } = await hob(['talk', 'echo'], {
      isTTY: true,
      lines: ['/grant', '/grant 9999', '/show 9999', '/quit'],
    });
    expect(code).toBe(0);
    expect(err).toContain('no proposal is open');
    expect(err).toContain('9999');
  });

  it('from before is told of, and listed', async () => {
    await hob(['talk', 'echo'], { lines: ['propose 5'] });
    const { code, out, err } = await atTerminal(
      ['waits for your decision', '/open'],
      ['proposes to run code', '/counter 6 * 9'],
      ['countered #', '/quit'],
    );
    expect(code).toBe(0);
    expect(out).toContain('    1  5\n');
    expect(err).toContain('1 of them waits for your decision; /open shows');
    expect(err).toMatch(/countered #\d+ with: 6 \* 9\n/u);
  });
});
