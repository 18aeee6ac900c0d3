import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ChatMessage, ChatRequest } from '../../src/model/chat.ts';
import {
  limitMessages,
  withMessageLimit,
} from '../../src/model/message-limit.ts';
import { answer, calls, makeScriptedModel } from '../support/scripted-model.ts';

const system: ChatMessage = { role: 'system', content: 'You are Hob.' };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const says = (content: string): ChatMessage => ({
  role: 'assistant',
  content,
  toolCalls: [],
});
const asks = (...ids: readonly string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'list', argumentsText: '{}' })),
});
const result = (callId: string): ChatMessage => ({
  role: 'tool',
  callId,
  content: '[]',
  isError: false,
});

const ask = (messages: readonly ChatMessage[]): ChatRequest => ({
  messages,
  tools: [],
  signal: new AbortController().signal,
});

describe('a limit of messages', () => {
  const plain = [user('1'), says('a'), user('2'), says('b'), user('3')];

  it('keeps the prompt and the newest', () => {
    expect(limitMessages([system, ...plain], 3)).toEqual([
      system,
      ...plain.slice(2),
    ]);
  });

  it('leaves a conversation that is short enough as it is', () => {
    expect(limitMessages([system, ...plain], 5)).toEqual([system, ...plain]);
  });

  it('begins with a question, though one answer more would fit', () => {
    expect(limitMessages([system, ...plain], 2)).toEqual([system, user('3')]);
  });

  it('keeps the present turn whole, however long it is', () => {
    const turn = [user('2'), asks('x', 'y'), result('x'), result('y')];
    const messages = [system, user('1'), says('a'), ...turn];
    expect(limitMessages(messages, 1)).toEqual([system, ...turn]);
  });

  it('drops a call and its results together', () => {
    const turn = [user('1'), asks('x'), result('x'), says('a')];
    const messages = [system, ...turn, user('2')];
    expect(limitMessages(messages, 3)).toEqual([system, user('2')]);
    expect(limitMessages(messages, 5)).toEqual(messages);
  });
});

/** A turn as agents have them: a question, calls with results, an answer. */
const turnOf = (index: number, rounds: readonly number[]): ChatMessage[] => [
  user(`question ${index}`),
  ...rounds.flatMap((count, round) => {
    const ids = Array.from({ length: count }, (_, at) =>
      [index, round, at].join('-'),
    );
    return [asks(...ids), ...ids.map(result)];
  }),
  says(`answer ${index}`),
];

const conversation = fc
  .record({
    turns: fc.array(
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    prompts: fc.integer({ min: 0, max: 2 }),
    cut: fc.nat(),
  })
  .map(({ turns, prompts, cut }) => {
    const messages = turns.flatMap((rounds, index) => turnOf(index, rounds));
    const lastTurn = messages.findLastIndex(({ role }) => role === 'user');
    // The present turn is under way: its end may be anywhere after a round.
    let end = lastTurn + 1 + (cut % (messages.length - lastTurn));
    while (messages[end]?.role === 'tool') end += 1;
    return [
      ...Array.from({ length: prompts }, () => system),
      ...messages.slice(0, end),
    ];
  });

it('holds for every conversation and every limit', () => {
  fc.assert(
    fc.property(
      conversation,
      fc.integer({ min: 1, max: 40 }),
      (messages, limit) => {
        const kept = limitMessages(messages, limit);
        const others = kept.filter(({ role }) => role !== 'system');
        const all = messages.filter(({ role }) => role !== 'system');
        const turn = all.slice(
          all.findLastIndex(({ role }) => role === 'user'),
        );
        // All prompts; of the others an unbroken end, from a question on.
        expect(kept.length - others.length).toBe(messages.length - all.length);
        expect(others).toEqual(all.slice(all.length - others.length));
        expect(others[0]?.role).toBe('user');
        // The present turn, and no more than the limit beside it.
        expect(others.length).toBeGreaterThanOrEqual(turn.length);
        expect(others.length).toBeLessThanOrEqual(Math.max(limit, turn.length));
        // Calls and results in pairs.
        const made = others.flatMap((message) =>
          message.role === 'assistant'
            ? message.toolCalls.map(({ id }) => id)
            : [],
        );
        const got = others.flatMap((message) =>
          message.role === 'tool' ? [message.callId] : [],
        );
        expect(got).toEqual(made);
      },
    ),
  );
});

describe('a model with a limit of messages', () => {
  it('is shown the newest, and is called what it was called', async () => {
    const { model, requests } = makeScriptedModel([answer('ok')]);
    const limited = withMessageLimit(model, 1);
    await limited.chat(ask([system, user('1'), says('a'), user('2')]));
    expect(requests[0]?.messages).toEqual([system, user('2')]);
    expect(limited).toMatchObject({
      provider: model.provider,
      model: model.model,
    });
  });

  it('makes no call with the id of one that it was not shown', async () => {
    const { model } = makeScriptedModel([
      calls([
        ['list', {}],
        ['list', {}],
      ]),
    ]);
    const messages = [
      user('1'),
      asks('call-0-0'),
      result('call-0-0'),
      user('2'),
    ];
    const { message } = await withMessageLimit(model, 1).chat(ask(messages));
    const ids = message.toolCalls.map(({ id }) => id);
    expect(ids).not.toContain('call-0-0');
    expect(ids).toContain('call-0-1');
    expect(new Set(ids).size).toBe(2);
  });
});
