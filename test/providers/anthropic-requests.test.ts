import { describe, expect, it } from 'vitest';

import type { ChatMessage, ToolCall } from '../../src/model/chat.ts';
import { anthropicWire } from '../support/anthropic-model.ts';
import type {
  AnthropicBlock,
  AnthropicScript,
} from '../support/anthropic-server.ts';
import { ask, serveOn, tool } from '../support/chat-model.ts';

const { modelAt } = anthropicWire;
const serve = (script: AnthropicScript) => serveOn(anthropicWire, script);

const bodyFor = async (messages: readonly ChatMessage[]) => {
  const { server } = await serve([{ text: 'ok' }]);
  await modelAt(server.url).chat(ask(messages));
  const body = server.requests[0]?.body;
  if (!body) throw Error('nothing was asked');
  return body;
};

const user = (content: string): ChatMessage => ({ role: 'user', content });

const calling = (
  ids: readonly string[],
  content = '',
  call: Partial<ToolCall> = {},
): ChatMessage => ({
  role: 'assistant',
  content,
  toolCalls: ids.map((id) => ({
    id,
    name: 'list',
    argumentsText: '{}',
    ...call,
  })),
});

const result = (callId: string, content = '[]', isError = false) =>
  ({ role: 'tool', callId, content, isError }) satisfies ChatMessage;

/** The block without its mark for the cache. */
const plain = (block: AnthropicBlock): unknown =>
  Object.fromEntries(
    Object.entries(block).filter(([name]) => name !== 'cache_control'),
  );

describe('a conversation on the Anthropic wire', () => {
  it('has one system prompt, of all its system messages', async () => {
    const body = await bodyFor([
      user('hello'),
      { role: 'system', content: 'Be short.' },
      { role: 'system', content: '' },
    ]);
    expect(body.system?.map(plain)).toEqual([
      { type: 'text', text: 'You are Hob.\n\nBe short.' },
    ]);
    expect(body.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('has no system prompt when there is nothing to put into it', async () => {
    const { server } = await serve([{ text: 'ok' }]);
    const { signal } = new AbortController();
    const messages = [user('hello')];
    await modelAt(server.url).chat({ messages, tools: [], signal });
    expect(server.requests[0]?.body).not.toHaveProperty('system');
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
  });

  it('merges messages of one role that follow each other', async () => {
    const { messages } = await bodyFor([
      user('one'),
      user('two'),
      calling([], 'three'),
      calling([], 'four'),
      user('five'),
    ]);
    expect(
      messages.map(({ role, content }) => [
        role,
        content.map(({ text }) => text),
      ]),
    ).toEqual([
      ['user', ['one', 'two']],
      ['assistant', ['three', 'four']],
      ['user', ['five']],
    ]);
  });

  it('puts the results of calls first in the message after them', async () => {
    const { messages } = await bodyFor([
      user('look'),
      calling(['a', 'b'], 'I look.'),
      user('By the way'),
      result('a', '["x"]'),
      result('b', 'no such name', true),
    ]);
    expect(messages.slice(1).map(({ content }) => content.map(plain))).toEqual([
      [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'a', name: 'list', input: {} },
        { type: 'tool_use', id: 'b', name: 'list', input: {} },
      ],
      [
        { type: 'tool_result', tool_use_id: 'a', content: '["x"]' },
        {
          type: 'tool_result',
          tool_use_id: 'b',
          content: 'no such name',
          is_error: true,
        },
        { type: 'text', text: 'By the way' },
      ],
    ]);
  });

  it.each(['{"strings": ["hel', '[1]', '"text"', '7', 'null', ''])(
    'sends an object for the arguments %j of an earlier call',
    async (argumentsText) => {
      const { messages } = await bodyFor([
        user('look'),
        calling(['a'], '', { argumentsText }),
        result('a', 'not an object', true),
      ]);
      expect(messages[1]?.content[0]?.input).toEqual({});
    },
  );

  it('sends the arguments of an earlier call as they were', async () => {
    const argumentsText = '{"petNamePath":["a","__proto__"],"n":-0.5}';
    const { messages } = await bodyFor([
      user('look'),
      calling(['a'], '', { argumentsText }),
      result('a'),
    ]);
    expect(messages[1]?.content[0]?.input).toEqual(JSON.parse(argumentsText));
  });

  it('has no text that is empty or blank', async () => {
    const { messages } = await bodyFor([
      user(''),
      calling([]),
      user(' \n'),
      calling(['a'], ' '),
      result('a', '', true),
    ]);
    const blocks = messages.flatMap(({ content }) => content);
    const texts = blocks.flatMap(({ text, content }) => text ?? content ?? []);
    expect(texts).toHaveLength(4);
    for (const text of texts) expect(text).toMatch(/\S/);
    expect(messages[3]?.content.map(({ type }) => type)).toEqual(['tool_use']);
  });

  it('puts only names on the wire that a tool may have', async () => {
    const called = ['functions.store value', '', 'x'.repeat(80)];
    const { messages } = await bodyFor([
      user('look'),
      ...called.flatMap((name, index) => [
        calling([`c${index}`], '', { name }),
        result(`c${index}`),
      ]),
    ]);
    const names = messages.flatMap(({ content }) =>
      content.flatMap(({ name }) => name ?? []),
    );
    expect(names).toHaveLength(called.length);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
  });

  it('makes the ids of other providers valid and unique, in calls and results alike', async () => {
    const turns = [['call/1:ü'], ['call_1__'], ['same', ''], ['same']];
    const { messages } = await bodyFor([
      user('look'),
      ...turns.flatMap((ids) => [
        calling(ids),
        ...ids.map((id) => result(id, `of ${id}`)),
      ]),
    ]);
    const ids = messages.map(({ content }) =>
      content.flatMap((block) => block.id ?? block.tool_use_id ?? []),
    );
    const called = ids.filter((_ids, index) => index % 2 === 1);
    const answered = ids.filter((_ids, index) => index > 0 && index % 2 === 0);
    expect(answered).toEqual(called);
    expect(called.flat()).toHaveLength(5);
    expect(new Set(called.flat()).size).toBe(5);
    for (const id of called.flat()) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  });
});

describe('what the Anthropic wire keeps in its cache', () => {
  const turn = (count: number): ChatMessage[] => [
    user(`question ${count}`),
    calling([`id${count}`]),
    result(`id${count}`),
    calling([], `answer ${count}`),
  ];
  const marks = (blocks: readonly { readonly cache_control?: unknown }[]) =>
    blocks.filter((block) => block.cache_control !== undefined).length;

  it('is marked at the last tool, the prompt and the last turns, four times at most', async () => {
    const { system, tools, messages } = await bodyFor([
      ...turn(1),
      ...turn(2),
      user('and now?'),
    ]);
    expect(marks(tools ?? [])).toBe(1);
    expect(tools?.at(-1)?.cache_control).toEqual({ type: 'ephemeral' });
    expect(marks(system ?? [])).toBe(1);
    const marked = messages.map(({ content }) => marks(content));
    expect(marked.slice(-3)).toEqual([1, 0, 1]);
    expect(marked.slice(0, -3).every((count) => count === 0)).toBe(true);
    expect(messages.at(-1)?.content.at(-1)?.cache_control).toEqual({
      type: 'ephemeral',
    });
  });

  it('marks the last of several tools only', async () => {
    const { server } = await serve([{ text: 'ok' }]);
    const other = { ...tool, function: { ...tool.function, name: 'has' } };
    await modelAt(server.url).chat({ ...ask(), tools: [tool, other] });
    const tools = server.requests[0]?.body.tools ?? [];
    expect(tools.map(({ cache_control: mark }) => mark)).toEqual([
      undefined,
      { type: 'ephemeral' },
    ]);
  });

  it('begins the next request as this one was, but for the marks', async () => {
    const first = await bodyFor([...turn(1), user('question 2')]);
    const second = await bodyFor([...turn(1), ...turn(2), user('question 3')]);
    const unmarked = ({ messages }: typeof first) =>
      messages.map(({ role, content }) => ({
        role,
        content: content.map(plain),
      }));
    expect(second.system).toEqual(first.system);
    expect(second.tools).toEqual(first.tools);
    expect(unmarked(second).slice(0, first.messages.length)).toEqual(
      unmarked(first),
    );
  });
});
