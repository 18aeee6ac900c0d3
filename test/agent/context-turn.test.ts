import { expect, it } from 'vitest';

import type { ChatMessage, ChatRequest } from '../../src/model/chat.ts';
import { repairCalls } from '../../src/transcript/repair.ts';
import {
  makeMeasuredModel,
  type Respond,
  says,
} from '../support/measured-model.ts';
import { makeContextWorld } from './context-world.ts';

const LIMITS = { contextTokens: 6000, maxTokens: 512 };

const LINE = 'The warehouse holds forty crates of oranges and two of lemons. ';
const LARGE = LINE.repeat(120);

const sumUp: Respond = () => says('They spoke of crates.');

const calling = (names: readonly string[], step: number) => ({
  role: 'assistant' as const,
  content: '',
  toolCalls: names.map((name, index) => ({
    id: `call-${step}-${index}`,
    name,
    argumentsText: `{"path":"page-${step}-${index}"}`,
  })),
});

/** Calls these tools, an answer after the other, and then ends. */
const makeWorker = (
  steps: readonly (readonly string[])[],
): { readonly respond: Respond; readonly restart: () => void } => {
  let step = 0;
  return {
    restart: () => {
      step = 0;
    },
    respond: () => {
      const names = steps[step];
      step += 1;
      return names === undefined ? says('Done.') : calling(names, step);
    },
  };
};

const isPaired = ({ messages }: ChatRequest): boolean =>
  JSON.stringify(repairCalls(messages)) === JSON.stringify(messages);

const resultsIn = ({
  messages,
}: ChatRequest): readonly Extract<ChatMessage, { role: 'tool' }>[] =>
  messages.filter((message) => message.role === 'tool');

const textIn = ({ messages }: ChatRequest): string =>
  messages.map(({ content }) => content).join('\n');

it('ends well when the results of one turn alone are more than the context', async () => {
  const steps = Array.from({ length: 12 }, () => ['readFile']);
  const model = makeMeasuredModel({ ...LIMITS, ...makeWorker(steps), sumUp });
  const { turn } = makeContextWorld({ ...LIMITS, model: model.model });
  const { messages } = await turn('Read all twelve.', { runCall: () => LARGE });
  expect(messages.at(-1)?.content).toBe('Done.');
  expect(model.overflows()).toBe(0);
  expect(model.summaryRequests).toHaveLength(0);
  const last = model.requests.at(-1);
  expect(model.requests.every(isPaired)).toBe(true);
  const contents = last && resultsIn(last).map(({ content }) => content);
  expect(contents?.[0]).toMatch(/^cut to save room: \d+ characters/u);
  // The model sees what it has asked for last, whole.
  for (const request of model.requests.slice(1)) {
    expect(resultsIn(request).at(-1)?.content).toBe(LARGE);
  }
});

it('keeps the whole results in the node, whatever the model was shown', async () => {
  const steps = Array.from({ length: 12 }, () => ['readFile']);
  const model = makeMeasuredModel({ ...LIMITS, ...makeWorker(steps), sumUp });
  const { turn, open } = makeContextWorld({ ...LIMITS, model: model.model });
  const { id } = await turn('Read all twelve.', { runCall: () => LARGE });
  const node = await open().store.get(id);
  expect(
    node?.messages.filter(({ content }) => content === LARGE),
  ).toHaveLength(12);
});

it('cuts results of one answer to what fits, the largest first', async () => {
  const { respond } = makeWorker([['readFile', 'store', 'readFile']]);
  const model = makeMeasuredModel({ ...LIMITS, respond, sumUp });
  const { turn } = makeContextWorld({ ...LIMITS, model: model.model });
  const huge = LINE.repeat(500);
  await turn('Read these.', {
    runCall: ({ name, id }) =>
      name === 'store' ? 'stored as "x"' : `${id}: ${huge}`,
  });
  expect(model.overflows()).toBe(0);
  const [first, stored, second] = resultsIn(model.requests[1] ?? never());
  expect(stored?.content).toBe('stored as "x"');
  for (const result of [first, second]) {
    expect(result?.content).toMatch(/^call-1-\d: The warehouse/u);
    expect(result?.content).toMatch(
      /\n\(cut to what fits: \d+ of \d+ characters are shown\)$/u,
    );
  }
});

it('does not take results away again that it has shown, as long as there is room', async () => {
  const { respond } = makeWorker([['readFile'], ['store'], ['store']]);
  const model = makeMeasuredModel({ ...LIMITS, respond, sumUp });
  const { turn } = makeContextWorld({ ...LIMITS, model: model.model });
  await turn('Read it.', {
    runCall: ({ name }) => (name === 'store' ? 'stored' : LINE.repeat(60)),
  });
  const texts = model.requests.map(({ messages }) => JSON.stringify(messages));
  for (const [index, text] of texts.slice(1).entries()) {
    expect(text.startsWith(texts[index]?.slice(0, -1) ?? 'x')).toBe(true);
  }
});

it('goes on from a turn that was larger than the context', async () => {
  const worker = makeWorker(Array.from({ length: 12 }, () => ['readFile']));
  const model = makeMeasuredModel({
    ...LIMITS,
    respond: worker.respond,
    sumUp,
  });
  const { turn } = makeContextWorld({ ...LIMITS, model: model.model });
  const { id } = await turn('Read all twelve.', { runCall: () => LARGE });
  await turn('And now?', { parent: id });
  const last = model.requests.at(-1) ?? never();
  expect(model.overflows()).toBe(0);
  expect(isPaired(last)).toBe(true);
  expect(textIn(last)).toContain('Read all twelve.');
  expect(textIn(last)).toContain('And now?');
});

it('leaves out the oldest of very many steps, and says which tools they called', async () => {
  const steps = Array.from({ length: 150 }, (_each, index) => [
    index < 5 ? 'readFile' : 'store',
  ]);
  const { respond } = makeWorker(steps);
  const model = makeMeasuredModel({ ...LIMITS, respond, sumUp });
  const { turn } = makeContextWorld({ ...LIMITS, model: model.model });
  const { messages } = await turn('Do a lot.', { runCall: () => LINE });
  expect(messages.at(-1)?.content).toBe('Done.');
  expect(model.overflows()).toBe(0);
  const last = model.requests.at(-1) ?? never();
  expect(isPaired(last)).toBe(true);
  expect(last.messages[1]?.content).toMatch(
    /^\(The first \d+ steps of your own work .* you called: readFile, store\.\)\nMessage #1 from HOST:\n"Do a lot\."$/u,
  );
});

it('cuts a message that alone is more than the context, on a line that it cannot write', async () => {
  const { respond } = makeWorker([['readFile']]);
  const model = makeMeasuredModel({ ...LIMITS, respond, sumUp });
  const { turn } = makeContextWorld({ ...LIMITS, model: model.model });
  const { messages } = await turn(LINE.repeat(2000), { runCall: () => LARGE });
  expect(messages.at(-1)?.content).toBe('Done.');
  expect(model.overflows()).toBe(0);
  const opening = model.requests[0]?.messages[1]?.content.split('\n') ?? [];
  expect(opening[0]).toBe('Message #1 from HOST:');
  expect(opening).toHaveLength(3);
  expect(opening[2]).toMatch(/^\(cut to what fits/u);
});

it('sums up the past before it takes from a turn of moderate size', async () => {
  const worker = makeWorker([['readFile'], ['readFile'], ['readFile']]);
  let worked = false;
  const model = makeMeasuredModel({
    ...LIMITS,
    respond: (request) =>
      worked ? worker.respond(request) : says(LINE.repeat(30)),
    sumUp,
  });
  const { turn } = makeContextWorld({ ...LIMITS, model: model.model });
  let parent: string | null = null;
  for (let index = 0; index < 8; index += 1) {
    ({ id: parent } = await turn('Tell me of the crates.', { parent }));
  }
  const before = model.summaryRequests.length;
  worked = true;
  await turn('Compare three pages.', {
    parent,
    runCall: () => LINE.repeat(30),
  });
  expect(model.overflows()).toBe(0);
  expect(model.summaryRequests.length).toBeGreaterThan(before);
  const last = model.requests.at(-1) ?? never();
  expect(resultsIn(last).map(({ content }) => content)).toEqual([
    LINE.repeat(30),
    LINE.repeat(30),
    LINE.repeat(30),
  ]);
});

const never = (): never => {
  throw Error('There was no such request');
};
