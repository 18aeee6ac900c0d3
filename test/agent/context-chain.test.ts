import { describe, expect, it } from 'vitest';

import type { ChatMessage, ChatRequest } from '../../src/model/chat.ts';
import { ModelError } from '../../src/model/model-error.ts';
import { makeMeasuredModel, says } from '../support/measured-model.ts';
import { makeContextWorld } from './context-world.ts';

const CONTEXT = 6000;
const ANSWER = 512;

const all = (messages: readonly ChatMessage[]): string =>
  messages.map(({ content }) => content).join('\n');

/** Sums up as a good model does: what is marked as a fact stays. */
const keepFacts = ({ messages }: ChatRequest) => {
  const facts = all(messages.slice(1)).match(/FACT-\w+ is \w+/gu) ?? [];
  return says(`They agreed: ${[...new Set(facts)].join('; ')}.`);
};

let calls = 0;
const readTwice = (request: ChatRequest) => {
  const last = request.messages.at(-1);
  const results = request.messages
    .slice(request.messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool').length;
  if (last === undefined || results >= 2) return says('It is read and noted.');
  calls += 1;
  return {
    role: 'assistant' as const,
    content: '',
    toolCalls: [
      { id: `c${calls}`, name: 'readFile', argumentsText: '{"path":"a.txt"}' },
    ],
  };
};

const PAGE =
  'The harbour master counts the boats every evening and writes the number down. ';

const runChain = async (
  turns: number,
  model = makeMeasuredModel({
    contextTokens: CONTEXT,
    maxTokens: ANSWER,
    respond: readTwice,
    sumUp: keepFacts,
  }),
) => {
  const world = makeContextWorld({
    model: model.model,
    contextTokens: CONTEXT,
    maxTokens: ANSWER,
  });
  const ids: string[] = [];
  for (let index = 1; index <= turns; index += 1) {
    const text =
      index === 1
        ? 'FACT-alpha is heron. Remember it.'
        : `Read on, part ${index}.`;
    const { id } = await world.turn(text, {
      parent: ids.at(-1) ?? null,
      runCall: () => PAGE.repeat(4),
    });
    ids.push(id);
  }
  return { ...model, ...world, ids };
};

describe('a chain of 300 turns in a small context', () => {
  it('never overflows, and its last request still has a fact of the first turn', async () => {
    const chain = await runChain(300);
    expect(chain.overflows()).toBe(0);
    expect(chain.requests).toHaveLength(900);
    expect(chain.largest()).toBeLessThanOrEqual(CONTEXT - ANSWER);
    expect(all(chain.requests.at(-1)?.messages ?? [])).toContain(
      'FACT-alpha is heron',
    );
    // Each sums up a stretch of the conversation, and not a turn.
    expect(chain.summaryRequests.length).toBeLessThan(60);
    expect(chain.summaryRequests.length).toBeGreaterThan(5);
  });

  it('leaves branches intact that go off before it was summed up', async () => {
    const chain = await runChain(40);
    const [first = ''] = chain.ids;
    const before = chain.requests.length;
    await chain.turn('And what was the word?', { parent: first });
    const [request] = chain.requests.slice(before);
    expect(all(request?.messages ?? [])).toContain(
      '"FACT-alpha is heron. Remember it."',
    );
    expect(all(request?.messages ?? [])).not.toContain('as you summed them up');
  });

  it('is summed up once for all branches behind it', async () => {
    const chain = await runChain(40);
    const leaf = chain.ids.at(-1) ?? '';
    const before = chain.summaryRequests.length;
    await chain.turn('One way.', { parent: leaf });
    await chain.turn('The other way.', { parent: leaf });
    expect(chain.summaryRequests.length).toBe(before);
    for (const request of chain.requests.slice(-6)) {
      expect(all(request.messages)).toContain('FACT-alpha is heron');
    }
  });

  it('has requests that are byte by byte the beginning of the next, but for summaries', async () => {
    const requests: ChatRequest[] = [];
    let summed = 0;
    let broken = 0;
    const model = makeMeasuredModel({
      contextTokens: CONTEXT,
      maxTokens: ANSWER,
      respond: (request) => {
        const last = requests.at(-1);
        const isPrefix =
          last === undefined ||
          JSON.stringify(request.messages.slice(0, last.messages.length)) ===
            JSON.stringify(last.messages);
        if (!isPrefix) broken += 1;
        requests.push(request);
        return readTwice(request);
      },
      sumUp: (request) => {
        summed += 1;
        return keepFacts(request);
      },
    });
    await runChain(100, model);
    expect(requests).toHaveLength(300);
    expect(broken).toBe(summed);
    expect(broken).toBeGreaterThan(0);
    expect(broken).toBeLessThan(20);
  });
});

it('asks for a summary in as many parts as it takes, and keeps each', async () => {
  const large = makeMeasuredModel({
    contextTokens: 40_000,
    maxTokens: ANSWER,
    respond: () => says(PAGE.repeat(20)),
    sumUp: keepFacts,
  });
  const world = makeContextWorld({
    model: large.model,
    contextTokens: 40_000,
    maxTokens: ANSWER,
  });
  let parent: string | null = null;
  for (let index = 0; index < 40; index += 1) {
    const text = `FACT-n${index} is heron`;
    ({ id: parent } = await world.turn(text, { parent }));
  }
  expect(large.summaryRequests).toHaveLength(0);

  const small = makeMeasuredModel({
    contextTokens: CONTEXT,
    maxTokens: ANSWER,
    respond: () => says('Yes.'),
    sumUp: keepFacts,
  });
  const later = makeContextWorld({
    model: small.model,
    contextTokens: CONTEXT,
    maxTokens: ANSWER,
    directory: world.directory,
  });
  const { events } = await later.turn('Do you know?', { parent });
  expect(small.overflows()).toBe(0);
  expect(small.summaryRequests.length).toBeGreaterThan(2);
  expect(events.map(({ type }) => type)).toEqual(['summarised']);
  const [request] = small.requests;
  for (let index = 0; index < 40; index += 1) {
    expect(all(request?.messages ?? [])).toContain(`FACT-n${index} is heron`);
  }
  expect(
    later.directory.names().filter((name) => name.startsWith('summary-')),
  ).toHaveLength(small.summaryRequests.length);
});

it('learns from the counts of a model whose tokens are smaller', async () => {
  const model = makeMeasuredModel({
    contextTokens: 10_000,
    maxTokens: ANSWER,
    respond: readTwice,
    sumUp: keepFacts,
    size: 1.8,
  });
  const world = makeContextWorld({
    model: model.model,
    contextTokens: 10_000,
    maxTokens: ANSWER,
  });
  let parent: string | null = null;
  for (let index = 0; index < 60; index += 1) {
    ({ id: parent } = await world.turn(`Part ${index}`, {
      parent,
      runCall: () => PAGE.repeat(4),
    }));
  }
  expect(model.overflows()).toBe(0);
  expect(model.summaryRequests.length).toBeGreaterThan(0);
  // It is not overcautious either.
  expect(model.largest()).toBeGreaterThan(7000);
});

it('halves what it sends to a model that reads less than it was told', async () => {
  const model = makeMeasuredModel({
    contextTokens: CONTEXT,
    maxTokens: ANSWER,
    respond: readTwice,
    sumUp: keepFacts,
  });
  const world = makeContextWorld({
    model: model.model,
    contextTokens: 32_768,
    maxTokens: ANSWER,
  });
  let parent: string | null = null;
  for (let index = 0; index < 40; index += 1) {
    ({ id: parent } = await world.turn(
      index === 0 ? 'FACT-alpha is heron' : `Part ${index}`,
      { parent, runCall: () => PAGE.repeat(4) },
    ));
  }
  expect(model.overflows()).toBeGreaterThan(0);
  expect(model.overflows()).toBeLessThan(4);
  expect(all(model.requests.at(-1)?.messages ?? [])).toContain('FACT-alpha');
});

it('says honestly that a prompt does not fit at all', async () => {
  const model = makeMeasuredModel({
    contextTokens: 1000,
    maxTokens: 100,
    respond: readTwice,
    sumUp: keepFacts,
  });
  const world = makeContextWorld({ model: model.model, contextTokens: 1000 });
  const failure = await world.turn('Hello').catch((cause: unknown) => cause);
  expect(failure).toBeInstanceOf(ModelError);
  expect(failure).toMatchObject({
    kind: 'overflow',
    message: expect.stringContaining('does not fit the model') as string,
    remedy: expect.stringContaining('LAL_CONTEXT_TOKENS') as string,
  });
  expect(model.overflows()).toBe(1);
});
