import { describe, expect, it } from 'vitest';

import type { Mail } from '../../src/endo/guest.ts';
import { callTool } from './call-tool.ts';
import { makeFakeTurnPowers } from './fake-turn-powers.ts';

// Each of these SmallCaps would refuse or change (seed defect 1).
const TEXTS = [
  ...['- item', '# Title', '*bold*', '(x)', '"q"', '$5', '+1', '-5', '+'],
  ...['!important', '%d', "'quoted'", '&c', ', and', '#undefined', '[x', ''],
];

describe.each([
  ['send', { recipientName: 'HOST' }],
  ['reply', { messageNumber: 7 }],
])('%s', (tool, whom) => {
  it.each(TEXTS)('delivers %j unchanged, as a list or alone', async (text) => {
    const fake = makeFakeTurnPowers();
    for (const strings of [[text], text]) {
      const outcome = await callTool(fake.powers, tool, { ...whom, strings });
      expect(outcome.ok).toBe(true);
      expect(fake.sent.at(-1)?.parcel).toEqual({
        strings: [text],
        edgeNames: [],
        petNames: [],
      });
    }
  });

  it.each([
    [['Here is '], ['total'], ['sum']],
    [['Here is ', ' for you'], 'total', 'sum'],
    [
      ['', ' and ', ''],
      ['a', '@b'],
      ['x', 'y/z'],
    ],
    ['Here is ', ['total'], [['deep', 'sum']]],
  ])('interleaves %j with %j', async (strings, edgeNames, petNames) => {
    const fake = makeFakeTurnPowers();
    const args = { ...whom, strings, edgeNames, petNames };
    expect(await callTool(fake.powers, tool, args)).toMatchObject({ ok: true });
    expect(fake.sent).toHaveLength(1);
  });

  it.each([
    [['a', 'b'], [], [], 'exactly one string'],
    [[], [], [], 'exactly one string'],
    [['a'], ['e'], [], '1 edge name and 0 pet names do not pair up'],
    [['a'], [], ['p'], '0 edge names and 1 pet name do not pair up'],
    [['a', 'b', 'c'], ['e'], ['p'], 'Give 1 or 2 strings: strings[0] @e'],
    [[], ['e'], ['p'], 'Give 1 or 2 strings'],
    [['a', 'b'], ['e', 'e'], ['p', 'q'], '"e" is used twice'],
  ])(
    'refuses %j with %j and %j, and says why',
    async (strings, edgeNames, petNames, reason) => {
      const fake = makeFakeTurnPowers();
      const args = { ...whom, strings, edgeNames, petNames };
      const { isError, content } = await callTool(fake.powers, tool, args);
      expect(isError).toBe(true);
      expect(content).toContain('Nothing was sent');
      expect(content).toContain(reason);
      expect(fake.sent).toEqual([]);
    },
  );
});

describe('send', () => {
  it('takes the spellings of Fae', async () => {
    const fake = makeFakeTurnPowers();
    await callTool(fake.powers, 'send', {
      recipient: 'HOST',
      strings: ['hi'],
      edgeNames: [],
      petNames: [],
    });
    expect(fake.sent).toEqual([
      {
        to: ['HOST'],
        parcel: { strings: ['hi'], edgeNames: [], petNames: [] },
      },
    ]);
  });
});

describe('adopt and dismiss', () => {
  it('tell under which path the value is now', async () => {
    const fake = makeFakeTurnPowers();
    const outcome = await callTool(fake.powers, 'adopt', {
      messageNumber: '+7',
      edgeName: '@counter',
      petName: 'counter',
    });
    expect(outcome.content).toBe(
      'Adopted @counter of message #7 as "from-bob/counter".',
    );
    expect(fake.changes).toEqual(['adopt 7 counter counter false']);
  });

  it('tell whether the message went, or goes at the end of the turn', async () => {
    const fake = makeFakeTurnPowers();
    const dismiss = async (messageNumber: unknown) =>
      (await callTool(fake.powers, 'dismiss', { messageNumber })).content;
    expect(await dismiss('8')).toBe('Dismissed message #8.');
    expect(await dismiss(9)).toContain('when this turn ends');
    expect(await dismiss(5.5)).toContain('"messageNumber" takes');
    expect(fake.changes).toEqual(['dismiss 8', 'dismiss 9']);
  });
});

const base = (number: bigint) => ({
  number,
  messageId: `${number}`.padStart(64, '0'),
  from: 'id-host',
  to: 'abc',
  date: '2026-02-20T10:30:00.000Z',
});

describe('listMessages', () => {
  it('shows each message with its number, ids, people and content, newest first', async () => {
    const mailbox: Mail[] = [
      { ...base(0n), type: 'request', description: 'a counter' },
      { ...base(1n), type: 'other', kind: 'eval-proposal-reviewer' },
      {
        ...base(2n),
        type: 'package',
        replyTo: '1'.repeat(64),
        strings: ['Take ', '\n- now'],
        names: ['coin'],
        ids: ['secret-id'],
      },
    ];
    const fake = makeFakeTurnPowers(mailbox);
    const { content } = await callTool(fake.powers, 'listMessages', {});
    const people =
      'from: "HOST", to: "unknown-abc", date: "2026-02-20T10:30:00.000Z"';
    expect(content).toBe(
      `[{ number: 2n, messageId: "${base(2n).messageId}", replyTo: "${'1'.repeat(64)}", ${people}, type: "package", text: "Take @coin\\n- now", edgeNames: ["coin"] }, ` +
        `{ number: 1n, messageId: "${base(1n).messageId}", ${people}, type: "eval-proposal-reviewer" }, ` +
        `{ number: 0n, messageId: "${base(0n).messageId}", ${people}, type: "request", description: "a counter" }]`,
    );
  });

  it('shows the newest fifty, and how many more there are', async () => {
    const mailbox = Array.from({ length: 60 }, (_, index): Mail => ({
      ...base(BigInt(index)),
      type: 'request',
      description: 'x',
    }));
    const fake = makeFakeTurnPowers(mailbox);
    const { content } = await callTool(fake.powers, 'listMessages', {});
    expect(content).toContain('number: 59n');
    expect(content).toContain('number: 10n');
    expect(content).not.toContain('number: 9n');
    expect(content).toContain('olderNotShown: 10');
  });
});
