import { makeMarshal } from '@endo/marshal';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import {
  readJournal,
  readNode,
  readOpen,
} from '../../cli/transcript/records.ts';
import { sortStoredNames } from '../../cli/transcript/stored-names.ts';
import { parseOpenRecord } from '../../src/proposal/open-record.ts';
import { parseEntry } from '../../src/transcript/entry.ts';
import {
  entryName,
  nodeName,
  sortNames,
  summaryName,
} from '../../src/transcript/names.ts';
import { parseNode } from '../../src/transcript/node.ts';
import {
  foldRecords,
  recordedMessages,
  recordedUsage,
} from '../../src/transcript/recorded.ts';

const marshal = makeMarshal(undefined, undefined, {
  serializeBodyFormat: 'smallcaps',
});

const stored = (name: string): unknown => {
  const file = new URL(
    `../fixtures/records/${name}.smallcaps`,
    import.meta.url,
  );
  const body = readFileSync(file, 'utf8').trim();
  return marshal.fromCapData(harden({ body, slots: [] }));
};

const change = (name: string, changes: Record<string, unknown>): unknown =>
  harden({ ...(stored(name) as object), ...changes });

describe('what an agent has stored, as the command line reads it', () => {
  it.each(['node', 'pointer', 'pointer-to-sent'])(
    'is the %s that the agent reads',
    (name) => {
      const own = parseNode(name, stored(name));
      const { number, ...rest } = readNode(own.messageId, stored(name));
      expect(own).toMatchObject(rest);
      expect(own.lastInboxNumber).toBe(number);
    },
  );

  it.each(['entry', 'entry-of-an-end'])(
    'is the turn that the agent goes on with after an %s',
    (name) => {
      const turn = foldRecords(parseEntry(name, stored(name)));
      const read = readJournal([stored(name)]);
      expect(read).toMatchObject({
        usage: recordedUsage(turn),
        parentMessageId: turn.head?.parentMessageId,
        correspondent: turn.head?.correspondent,
        number: turn.head?.number,
      });
      // The agent adds results to calls that have none.
      expect(recordedMessages(turn)).toEqual(
        expect.arrayContaining([...read.messages]),
      );
    },
  );

  it('goes on from entry to entry', () => {
    const names = ['entry', 'entry-of-effects'];
    const turn = foldRecords(
      names.flatMap((name) => parseEntry(name, stored(name))),
    );
    const { messages, isClosing } = readJournal(names.map(stored));
    expect(recordedMessages(turn)).toEqual(messages);
    expect(isClosing).toBe(turn.closing !== undefined);
    expect(readJournal([stored('entry-of-an-end')]).isClosing).toBe(true);
  });

  it('is the open question that the agent waits for', () => {
    const own = parseOpenRecord(stored('open'));
    expect(own).toMatchObject(readOpen(own.messageId, stored('open')));
  });

  it('has the names that the agent gives', () => {
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
    const names = [
      ...[nodeName(a), summaryName(a), 'transcript-short', `${nodeName(a)}x`],
      ...[10, 9, 0].map((index) => entryName(b, index)),
      entryName(a, 0),
      `hob-open-${b}`,
    ];
    const own = sortNames(names);
    const found = sortStoredNames(names);
    expect(new Set(found.nodes)).toEqual(own.nodes);
    expect(found.summaries).toEqual(own.summaries);
    expect(found.journals.get(b)).toEqual(own.entries.get(b));
    // What a crash has left beside a node tells nothing new.
    expect(found.journals.has(a)).toBe(false);
    expect(found.open).toEqual([b]);
  });
});

describe('a record that is not as it should be', () => {
  const id = 'a'.repeat(64);
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    [
      'of a later format',
      change('node', { version: 2 }),
      /format 2.*format 1/u,
    ],
    ['without a format', change('node', { version: 'x' }), /"version"/u],
    ['that is no record', 'text', /"value" is not a record/u],
    ['that was renamed', change('node', { messageId: 'b' }), /renamed/u],
    [
      'with messages of no kind',
      change('node', { messages: 5 }),
      /"messages"/u,
    ],
    [
      'with a message of the system',
      change('node', { messages: [{ role: 'system', content: '' }] }),
      /nobody that takes part/u,
    ],
    [
      'with a parent that is no id',
      change('node', { parentMessageId: 1n }),
      /"parentMessageId"/u,
    ],
    [
      'with counts below nothing',
      change('node', { usage: { input: -1 } }),
      /"input"/u,
    ],
  ];
  it.each(wrong)('%s is refused in words', (_what, value, reason) => {
    expect(() => readNode(id, value)).toThrow(reason);
  });
});
