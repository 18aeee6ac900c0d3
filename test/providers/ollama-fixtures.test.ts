import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { makeOllamaModel } from '../../providers/ollama.ts';
import type { ChatAnswer } from '../../src/model/chat.ts';

const read = (name: string): Promise<string> =>
  readFile(new URL(`../fixtures/ollama/${name}`, import.meta.url), 'utf8');

/** What the model says when a server answers with these bytes. */
const answerTo = async (body: string): Promise<ChatAnswer> =>
  makeOllamaModel({
    host: 'http://ollama.test',
    model: 'qwen3',
    contextTokens: 4096,
    fetch: () =>
      Promise.resolve(
        new Response(body, {
          headers: { 'content-type': 'application/x-ndjson' },
        }),
      ),
  }).chat({
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    signal: new AbortController().signal,
  });

const said = (content: string, toolCalls: readonly object[] = []) => ({
  role: 'assistant',
  content,
  toolCalls,
});

it('reads an answer in prose', async () => {
  expect(await answerTo(await read('plain.ndjson'))).toEqual({
    message: said('The sky is blue – señor 👋.'),
    stop: 'end',
    usage: { input: 26, cached: 0, output: 282 },
  });
});

it('reads the answer of an older server', async () => {
  expect(await answerTo(await read('old-plain.ndjson'))).toEqual({
    message: said('Due to scattering.'),
    stop: 'end',
    usage: { input: 61, cached: 0, output: 468 },
  });
});

it('reads a call, gives it an id, and does not say what was thought', async () => {
  const argumentsText = '{"petNamePath":["notes","2025"],"deep":false}';
  expect(await answerTo(await read('tools.ndjson'))).toEqual({
    message: said('', [{ id: 'call_1', name: 'list', argumentsText }]),
    stop: 'tools',
    usage: { input: 122, cached: 0, output: 33 },
  });
});

it('reads parallel calls with the ids that the server gave', async () => {
  const call = (id: string, name: string) => ({
    id,
    name: 'lookup',
    argumentsText: `{"petNamePath":["${name}"]}`,
  });
  expect(await answerTo(await read('parallel.ndjson'))).toEqual({
    message: said('I look at both.', [
      call('call_6kq2w9xz', 'a'),
      call('call_p0d3m1ab', 'b'),
    ]),
    stop: 'tools',
    usage: { input: 140, cached: 0, output: 51 },
  });
});

it('reads that an answer was cut off', async () => {
  const answer = await answerTo(await read('cut-off.ndjson'));
  expect(answer).toMatchObject({
    message: said('Once upon a'),
    stop: 'length',
  });
});

it('reads an error that comes in the middle, in the words of the server', async () => {
  await expect(
    answerTo(await read('error-in-stream.ndjson')),
  ).rejects.toMatchObject({
    kind: 'server',
    message: expect.stringContaining(
      'an error was encountered while running the model',
    ) as string,
  });
});
