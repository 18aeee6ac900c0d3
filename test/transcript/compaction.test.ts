import { describe, expect, it } from 'vitest';

import type { ChatMessage } from '../../src/model/chat.ts';
import {
  shareRoom,
  showHistory,
  splitHistory,
} from '../../src/transcript/compaction.ts';
import { cutText } from '../../src/transcript/cut-text.ts';
import { makeTokenEstimate } from '../../src/transcript/estimate.ts';
import type { TranscriptNode } from '../../src/transcript/node.ts';
import { shrinkTurn } from '../../src/transcript/shrink.ts';

const node = (
  turns: number,
  messages: readonly ChatMessage[],
): TranscriptNode => ({
  messageId: `n${turns}`,
  parentMessageId: null,
  messages,
  correspondent: 'host',
  turns,
  exchanges: 1,
  unattended: 0,
  rootMessageId: 'f'.repeat(64),
  failed: false,
});

const user = (content: string): ChatMessage => ({ role: 'user', content });
const result = (callId: string, content: string): ChatMessage => ({
  role: 'tool',
  callId,
  content,
  isError: false,
});
const calling = (...ids: readonly string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'list', argumentsText: '{}' })),
});

const estimate = makeTokenEstimate();

describe('the past of a conversation', () => {
  const nodes = [node(1, [user('a')]), node(2, []), node(3, [user('b')])];
  const sizeOf = () => 10;

  it('is parted at a whole turn: the newest that fit stay', () => {
    expect(splitHistory(nodes, 20, sizeOf)).toEqual({
      old: nodes.slice(0, 1),
      kept: nodes.slice(1),
    });
    expect(splitHistory(nodes, 9, sizeOf).kept).toEqual([]);
    expect(splitHistory(nodes, -5, sizeOf).kept).toEqual([]);
    expect(splitHistory(nodes, 30, sizeOf).old).toEqual([]);
  });

  it('does not pass over a large turn for an older small one', () => {
    const sizes = new Map([
      ['n1', 1],
      ['n2', 100],
      ['n3', 1],
    ]);
    const { kept } = splitHistory(
      nodes,
      50,
      ({ messageId }) => sizes.get(messageId) ?? 0,
    );
    expect(kept.map(({ messageId }) => messageId)).toEqual(['n3']);
  });

  it('shows a turn that is larger than its share without its results', () => {
    const room = shareRoom(3000);
    const large = node(1, [
      user('Read.'),
      calling('x'),
      result('x', 'oranges and lemons '.repeat(800)),
      { role: 'assistant', content: 'It is about fruit.', toolCalls: [] },
    ]);
    const { nodes: shown } = showHistory(
      { leftOut: 0, nodes: [large] },
      room,
      estimate,
    );
    const [first] = shown;
    expect(estimate.of({ messages: first?.messages ?? [] })).toBeLessThan(
      room.verbatim,
    );
    expect(first?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(first?.messages[3]?.content).toBe('It is about fruit.');
  });

  it('shows every other turn as it is, the same object', () => {
    const small = node(1, [user('Read.')]);
    const history = { leftOut: 0, nodes: [small] };
    const shown = showHistory(history, shareRoom(3000), estimate);
    expect(shown.nodes[0]).toBe(small);
  });
});

it('shares out no more than there is', () => {
  const room = shareRoom(9000);
  expect(room.verbatim + room.summary).toBeLessThanOrEqual(room.afterwards);
  expect(room.opening).toBeLessThan(room.conversation);
  expect(shareRoom(0)).toMatchObject({ conversation: 0, verbatim: 0 });
});

it('leaves out steps of an old turn that is too long even without its results', () => {
  const messages = [
    user('Go.'),
    ...Array.from({ length: 50 }, (_each, index) => [
      calling(`c${index}`),
      result(`c${index}`, 'ok'),
    ]).flat(),
  ];
  const shown = shrinkTurn(
    messages,
    (version) => estimate.of({ messages: version }) < 500,
  );
  expect(estimate.of({ messages: shown })).toBeLessThan(500);
  expect(shown[0]?.content).toMatch(/^\(The first \d+ steps .*\nGo\.$/u);
  expect(shown[1]?.role).toBe('assistant');
  expect(shown.at(-1)).toEqual(messages.at(-1));
});

describe('a text that is cut', () => {
  it('is its beginning, with what was cut on a line of its own', () => {
    const text = 'oranges and lemons '.repeat(100);
    const cut = cutText(text, 100, estimate.ofText);
    const [head = '', notice] = cut.split('\n');
    expect(text.startsWith(head)).toBe(true);
    expect(head).not.toBe('');
    expect(notice).toBe(
      `(cut to what fits: ${head.length} of ${text.length} characters are shown)`,
    );
    expect(estimate.ofText(cut)).toBeLessThanOrEqual(100);
  });

  it('is never cut within a character', () => {
    const cut = cutText('🍋'.repeat(500), 90, estimate.ofText);
    expect(cut.split('\n')[0]).toMatch(/^(?:🍋)+$/u);
  });

  it('stays whole when it fits', () => {
    expect(cutText('lemons', 10, estimate.ofText)).toBe('lemons');
  });
});
