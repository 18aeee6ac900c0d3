import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../src/model/chat.ts';
import { INTERRUPTED, repairCalls } from '../../src/transcript/repair.ts';

const call = (id: string) => ({ id, name: 'list', argumentsText: '{}' });
const asked = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map(call),
});
const result = (callId: string): ChatMessage => ({
  role: 'tool',
  callId,
  content: `result of ${callId}`,
  isError: false,
});

it('gives a call that has no result one that says "interrupted"', () => {
  expect(repairCalls([asked('a', 'b'), result('a')])).toEqual([
    asked('a', 'b'),
    result('a'),
    { role: 'tool', callId: 'b', content: INTERRUPTED, isError: true },
  ]);
});

it('leaves whole conversations as they are', () => {
  const whole: ChatMessage[] = [
    { role: 'user', content: 'hello' },
    asked('a', 'b'),
    result('a'),
    result('b'),
    { role: 'assistant', content: 'done', toolCalls: [] },
  ];
  expect(repairCalls(whole)).toEqual(whole);
});

it('shows a provider no orphan, wherever a conversation was cut', () => {
  const message = fc.oneof(
    fc.constant<ChatMessage>({ role: 'user', content: 'hello' }),
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c')).map((ids) => asked(...ids)),
    fc.constantFrom('a', 'b', 'c').map(result),
  );
  fc.assert(
    fc.property(fc.array(message), (messages) => {
      const repaired = repairCalls(messages);
      let open: string[] = [];
      for (const each of repaired) {
        if (each.role === 'tool') expect(each.callId).toBe(open.shift());
        else expect(open).toEqual([]);
        if (each.role === 'assistant')
          open = each.toolCalls.map(({ id }) => id);
      }
      expect(open).toEqual([]);
      const kept = (role: string, list: readonly ChatMessage[]) =>
        list.filter((each) => each.role === role);
      expect(kept('user', repaired)).toEqual(kept('user', messages));
      expect(kept('assistant', repaired)).toEqual(kept('assistant', messages));
    }),
  );
});
