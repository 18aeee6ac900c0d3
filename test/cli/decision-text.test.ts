import { describe, expect, it } from 'vitest';
import { numberedCode } from '../../cli/code-text.ts';
import {
  decisionText,
  shellVerbs,
  talkVerbs,
} from '../../cli/decision-text.ts';
import type { NamedMessage } from '../../cli/mail.ts';
import { mailText } from '../../cli/mail-text.ts';

const output = { write: () => undefined, isTTY: true, columns: 80 };

const proposal = (fields: Record<string, unknown> = {}): NamedMessage => ({
  type: 'eval-proposal-reviewer',
  number: 12n,
  messageId: 'a'.repeat(64),
  from: 'hob-id',
  to: 'host-id',
  date: '2026-01-02T03:04:05.000Z',
  fromNames: ['hob'],
  toNames: ['SELF'],
  source: '// purpose: count\nE(counter).increment()',
  codeNames: ['counter', 'log'],
  petNamePaths: [['my-counter'], ['notes', 'log']],
  edgeNames: ['my-counter', 'log'],
  ids: ['id-1', 'id-2'],
  valueNames: [['tally'], []],
  state: 'open',
  ...fields,
});

const shown = (message: NamedMessage, whole = false): string =>
  decisionText({ output, verbs: shellVerbs, whole, spaces: 4 }, message);

describe('a proposal', () => {
  it('is shown with purpose, values by own names, code, and what to type', () => {
    expect(shown(proposal())).toBe(
      `proposes to run code
what for, in the proposer's own words: "count"
it is given the values:
  counter = your "tally"
  log = unknown to you; the proposer calls it "notes/log"
the code:
  1  // purpose: count
  2  E(counter).increment()
to decide:
  npm run -s hob -- grant 12
  npm run -s hob -- reject 12 '<reason>'
  npm run -s hob -- counter 12 --source '<code>'`,
    );
  });

  it('takes no name of the proposer for one of the reader', () => {
    const text = shown(
      proposal({
        codeNames: ['a'],
        petNamePaths: [['your "safe"\n  b = your "x"']],
        valueNames: [[]],
      }),
    );
    expect(text).toContain(
      '  a = unknown to you; the proposer calls it "your "safe"\\n  b',
    );
  });

  it('that is given nothing, or says no purpose, is shown so', () => {
    const text = shown(
      proposal({ source: '1 + 1', codeNames: [], valueNames: [] }),
    );
    expect(text).toContain('it does not say what for');
    expect(text).toContain('it is given no values of anybody');
  });

  it('is typed otherwise in a conversation', () => {
    const layout = { output, verbs: talkVerbs, whole: false, spaces: 2 };
    const text = decisionText(layout, proposal());
    expect(text).toContain('\n  /grant 12\n  /reject 12 <reason>\n');
    expect(text).toContain('/counter 12 <code>');
  });

  it('that is decided says what came of it, and nothing to type', () => {
    const mail = (state: string, more = {}) =>
      mailText(
        output,
        { NO_COLOR: '1' },
        proposal({ state, ...more }),
        new Map([['b'.repeat(64), 14n]]),
      );
    expect(mail('open')).toContain('(needs a decision)');
    expect(mail('granted')).toContain('(granted)');
    expect(mail('running')).toContain('its code is running');
    expect(mail('failed')).toContain('its code failed');
    expect(mail('rejected')).toContain('(rejected)');
    expect(mail('lost')).toContain('lost, and not run again');
    expect(mail('countered', { counteredBy: 'b'.repeat(64) })).toContain(
      '(countered by #14)',
    );
    expect(mail('granted')).not.toContain('to decide');
  });

  it('of the reader, or of a host to its guest, is not theirs to grant', () => {
    const own = proposal({
      type: 'eval-proposal-proposer',
      fromNames: ['SELF'],
      toNames: ['hob'],
    });
    expect(shown(own)).toMatch(/^you proposed to run code\n/u);
    expect(shown(own)).not.toContain('to decide');
    const counter = proposal({ fromNames: ['HOST'], replyTo: 'b' });
    expect(shown(counter)).toContain('reject 12');
    expect(shown(counter)).not.toContain('grant 12');
  });

  it('fits in 80 columns, and hides nothing beyond the last', () => {
    const source = `const x = 1;${' '.repeat(300)}E(counter).drain()`;
    const text = mailText(output, {}, proposal({ source }), new Map(), true);
    expect(text).toContain('drain()');
    const purpose = `// purpose: ${'a\u00a0'.repeat(400)}\n1`;
    const claim = mailText(
      output,
      {},
      proposal({
        source: purpose,
        valueNames: [[], []],
        petNamePaths: [['x'.repeat(300)], ['y']],
      }),
      new Map(),
    );
    for (const line of `${text}${claim}`.split('\n')) {
      expect(line.replaceAll(/\u001b\[\d+m/gu, '').length).toBeLessThan(81);
    }
  });

  it('that is long is cut with a notice, and whole when asked', () => {
    const source = Array.from({ length: 300 }, (_, i) => `f(${i});`).join('\n');
    const text = shown(proposal({ source }));
    expect(text).toContain(' 40  f(39);\n');
    expect(text).not.toContain('f(40)');
    expect(text).toContain('NOT ALL IS SHOWN: 260 of 300 lines are missing');
    expect(text).toContain('npm run -s hob -- inbox 12');
    const whole = shown(proposal({ source }), true);
    expect(whole).toContain('300  f(299);');
    expect(whole).not.toContain('NOT ALL');
  });

  it('with many values says how many are not shown', () => {
    const codeNames = Array.from({ length: 1000 }, (_, i) => `v${i}`);
    const text = shown(proposal({ codeNames, valueNames: [] }));
    expect(text).toContain('NOT ALL IS SHOWN: 980 more values');
    expect(shown(proposal({ codeNames, valueNames: [] }), true)).toContain(
      'v999 = ',
    );
  });
});

describe('a request', () => {
  it('is shown with its words and what to type', () => {
    const request = proposal({
      type: 'request',
      description: 'a \u001b[2Jcounter',
    });
    expect(shown(request)).toBe(
      `asks for: a \\u{1b}[2Jcounter
to decide:
  npm run -s hob -- resolve 12 <name>
  npm run -s hob -- reject 12 '<reason>'`,
    );
  });
});

describe('code', () => {
  const rows = (source: string) => numberedCode(source, 60, 100).rows;

  it('ends a line where JavaScript does, so that no comment hides code', () => {
    for (const end of ['\u2028', '\u2029', '\r', '\r\n', '\n']) {
      expect(rows(`// harmless${end}evil()`)).toEqual([
        '  1  // harmless',
        '  2  evil()',
      ]);
    }
  });

  it.each([
    ['a\u202eb', 'a\\u{202e}b'],
    ['\u001b[31m', '\\u{1b}[31m'],
    ['a\u200db', 'a\\u{200d}b'],
    ['a\u3164', 'a\\u{3164}'],
    ['a\u00a0b', 'a\\u{a0}b'],
    ['a\ufe0f', 'a\\u{fe0f}'],
  ])('shows %j as %j', (source, expected) => {
    expect(rows(source)).toEqual([`  1  ${expected}`]);
  });

  it('cannot pose as a line number or leave its margin', () => {
    const [first, second = ''] = rows(`${' '.repeat(55)}  2  safe()`);
    expect(first).toBe('  1');
    expect(second).toBe('  ·    2  safe()');
  });
});
