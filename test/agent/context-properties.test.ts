import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { ChatMessage, ChatRequest } from '../../src/model/chat.ts';
import { repairCalls } from '../../src/transcript/repair.ts';
import { makeMeasuredModel, says } from '../support/measured-model.ts';
import { makeContextWorld, PROMPT, TOOLS } from './context-world.ts';

const ANSWER = 300;

const WORDS = [
  'The harbour master counts the boats every evening. ',
  'export const a = (b: number): number => b * 2;\n',
  '{"number":9,"from":"bob","names":["a","b"]}',
  '9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251',
  'Завтра обещают дождь и сильный ветер. ',
  '今天的天气很好，我们打算去公园散步。',
  '🍋🍊 12.5 % ',
];

/** Texts of every kind and size, mixed as they come. */
const text = fc
  .array(
    fc.tuple(fc.constantFrom(...WORDS), fc.integer({ min: 1, max: 120 })),
    { maxLength: 3 },
  )
  .map((parts) => parts.map(([word, count]) => word.repeat(count)).join(''));

const step = fc.record({
  said: fc.oneof(fc.constant(''), text),
  results: fc.array(text, { minLength: 1, maxLength: 3 }),
});
const turn = fc.record({
  opening: text,
  steps: fc.array(step, { maxLength: 5 }),
  closing: text,
  /** Which turn before it goes on from, as a share of them. */
  from: fc.double({ min: 0, max: 1, noNaN: true }),
});
const summary = fc.constantFrom('good', 'empty', 'long', 'fails');

const check = (
  request: ChatRequest,
  opening: string,
  before: ChatRequest | undefined,
): void => {
  const { messages } = request;
  expect(messages[0]).toEqual({ role: 'system', content: PROMPT });
  // Calls and results are never parted, and no result is without its call.
  expect(repairCalls(messages)).toEqual(messages);
  const roles = messages.map(({ role }) => role).join(' ');
  expect(roles).not.toContain('user user');
  expect(roles).not.toContain('system user system');
  // What is to be answered is there, if not all of it.
  const isAnswered = messages.some(
    ({ role, content }) =>
      role === 'user' && content.includes(opening.slice(0, 60)),
  );
  expect(isAnswered).toBe(true);
  if (before === undefined) return;
  const last = messages.at(-1);
  expect(last?.role).toBe('tool');
};

it('makes every conversation fit, and never parts a call from its results', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 4500, max: 12_000 }),
      summary,
      async (turns, contextTokens, kind) => {
        let answers: ChatMessage[] = [];
        let opening = '';
        let before: ChatRequest | undefined;
        const model = makeMeasuredModel({
          contextTokens,
          maxTokens: ANSWER,
          respond: (request) => {
            check(request, opening, before);
            before = request;
            const next = answers.shift();
            if (next?.role !== 'assistant') throw Error('No answer is left');
            return next;
          },
          sumUp: () => {
            if (kind === 'fails') throw Error('It is down');
            if (kind === 'empty') return says('');
            return says(kind === 'long' ? 'so on '.repeat(5000) : 'In short.');
          },
        });
        const world = makeContextWorld({
          model: model.model,
          contextTokens,
          maxTokens: ANSWER,
          tools: TOOLS,
        });
        const ids: string[] = [];
        for (const [index, each] of turns.entries()) {
          before = undefined;
          const results = each.steps.flatMap((one) => one.results);
          answers = [
            ...each.steps.map(
              ({ said, results: list }, position): ChatMessage => ({
                role: 'assistant',
                content: said.slice(0, 400),
                toolCalls: list.map((_result, call) => ({
                  id: `c${position}-${call}`,
                  name: 'readFile',
                  argumentsText: '{"path":"a"}',
                })),
              }),
            ),
            says(each.closing.slice(0, 400)),
          ];
          const parent = ids[Math.floor(each.from * (ids.length - 1))] ?? null;
          opening = `Message #${index + 1} from HOST:`;
          const { id } = await world.turn(each.opening, {
            parent,
            runCall: () => results.shift() ?? '',
          });
          ids.push(id);
        }
        // An estimate may err, once; what was learned then holds.
        expect(model.overflows()).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 60, seed: 4 },
  );
});
