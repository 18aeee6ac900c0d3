/** The conversation whose request and answer are recorded in `test/fixtures`. */
import type { ChatMessage, ChatRequest } from '../../src/model/chat.ts';

const petNamePath = { type: 'array', items: { type: 'string' } };

/** @param ids - of the two calls, as the provider of the fixture makes them */
export const makeRecipeRequest = ([one, other]: readonly [
  string,
  string,
]): ChatRequest => {
  const messages: readonly ChatMessage[] = [
    { role: 'system', content: 'You are Hob.' },
    {
      role: 'user',
      content: 'What is in the folder "recipes", and is there "soup"?',
    },
    {
      role: 'assistant',
      content: 'I look.',
      toolCalls: [
        {
          id: one,
          name: 'list',
          argumentsText: '{"petNamePath":["recipes"]}',
        },
        {
          id: other,
          name: 'lookup',
          argumentsText: '{"petNamePath":["soup"]}',
        },
      ],
    },
    {
      role: 'tool',
      callId: one,
      content: '["bread", "stew"]',
      isError: false,
    },
    {
      role: 'tool',
      callId: other,
      content: 'There is no name "soup"',
      isError: true,
    },
  ];
  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'list',
        description: 'Lists the names in a folder.',
        parameters: { type: 'object', properties: { petNamePath } },
      },
    },
    {
      type: 'function' as const,
      function: {
        name: 'lookup',
        description: 'Gives what a name stands for.',
        parameters: {
          type: 'object',
          properties: { petNamePath },
          required: ['petNamePath'],
        },
      },
    },
  ];
  return { messages, tools, signal: new AbortController().signal };
};

/** What the recorded answer says, apart from the ids of its calls. */
export const recipeAnswer = {
  content: 'No soup, but a stew. I open it.',
  calls: [
    { name: 'lookup', argumentsText: '{"petNamePath": ["recipes", "stew"]}' },
    { name: 'list', argumentsText: '{}' },
  ],
  stop: 'tools',
  usage: { input: 1632, cached: 1400, output: 61 },
} as const;

/** A `fetch` that answers with `body`, and keeps what it was asked. */
export const makeFixtureFetch = (
  body: string,
  contentType: string,
  status = 200,
) => {
  const asked: { url: string; body: unknown }[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    const { body: sent } = init ?? {};
    if (typeof url !== 'string' || typeof sent !== 'string')
      throw Error('asked in a form that is not looked for');
    asked.push({ url, body: JSON.parse(sent) });
    const headers = { 'content-type': contentType };
    return Promise.resolve(new Response(body, { status, headers }));
  };
  return { asked, fetch };
};
