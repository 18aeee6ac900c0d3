import { encode } from 'gpt-tokenizer';
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Mail } from '../../src/endo/guest.ts';
import { badReplies } from '../support/openai-replies.ts';
import type { Reply, ServerRequest } from '../support/openai-server.ts';
import { textOf } from '../support/person.ts';
import { type System, startSystem } from '../support/system.ts';

const CONTEXT = 6000;
const ANSWER = 512;
const TURNS = 300;
/** How often a page is read that alone is larger than the context. */
const PAGES = 2;
const FACT = 'The code word is heron.';
const FILLER =
  'The harbour master counts the boats every evening and writes down how many lie there, how many have left since the morning, and which of them are new.';

let overflows = 0;
let summaries = 0;

const contentsOf = ({ body }: ServerRequest): string =>
  body.messages.map(({ content }) => content ?? '').join('\n');

/** A model that counts what it reads, refuses what is too much, and sums up well. */
const countTokens = (request: ServerRequest): Reply => {
  const { messages, tools } = request.body;
  const text = JSON.stringify([messages, tools ?? []]);
  if (encode(text).length + ANSWER > CONTEXT) {
    overflows += 1;
    return badReplies.overflow;
  }
  if (messages[0]?.content?.startsWith('You sum up') === true) {
    summaries += 1;
    return { text: text.includes(FACT) ? `They agreed: ${FACT}` : 'Nothing.' };
  }
  const question = messages.findLastIndex(({ role }) => role === 'user');
  if (messages[question]?.content?.includes('pages') !== true)
    return { text: FILLER };
  const read = messages.length - question - 1;
  return read < 2 * PAGES
    ? {
        toolCalls: [
          { id: `page-${read}`, name: 'lookup', args: { petName: 'page' } },
        ],
      }
    : { text: 'All pages are read.' };
};

let system: System;
beforeAll(async () => {
  system = await startSystem(countTokens, {
    LAL_CONTEXT_TOKENS: String(CONTEXT),
    LAL_MAX_TOKENS: String(ANSWER),
  });
});
afterAll(() => system.stop());

const answerTo = async (question: Mail): Promise<Mail> => {
  const answer = await system.host.receive();
  expect(answer.replyTo).toBe(question.messageId);
  return answer;
};

it('never overflows in a chain of 300 turns, knows a fact of the first, and keeps the branches before', async () => {
  const { host, server } = system;
  const first = await answerTo(await host.send('hob', FACT));
  let last = first;
  for (let turn = 2; turn <= TURNS; turn += 1) {
    last = await answerTo(await host.reply(last, `Read on, part ${turn}.`));
  }
  const newest = server.requests.at(-1);
  expect(overflows).toBe(0);
  expect(summaries).toBeGreaterThan(3);
  expect(summaries).toBeLessThan(TURNS / 3);
  expect(last).toMatchObject({
    strings: [expect.stringContaining(`[depth:${2 * TURNS}] `)],
  });
  expect(newest === undefined ? '' : contentsOf(newest)).toContain(FACT);

  await answerTo(await host.reply(first, 'And what was the word?'));
  const branch = server.requests.at(-1)?.body.messages ?? [];
  expect(branch.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
  ]);
  expect(branch[1]?.content).toContain(JSON.stringify(FACT));
}, 120_000);

it('ends a turn well whose results alone are larger than the context', async () => {
  const { hob, host, server } = system;
  await hob.storeValue(FILLER.repeat(200), ['page']);
  const answer = await answerTo(await host.send('hob', 'Read the pages.'));
  expect(overflows).toBe(0);
  expect(textOf(answer)).toBe('All pages are read.');
  const shown = server.requests.at(-1)?.body.messages ?? [];
  const results = shown.filter(({ role }) => role === 'tool');
  expect(results).toHaveLength(PAGES);
  expect(results.at(-1)?.content).toContain('harbour');
});
