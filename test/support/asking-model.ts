import type { Reply, ServerRequest } from './openai-server.ts';
import { readTold } from './told-model.ts';

const OUTCOME = /^Your (?:proposal|request) #\d+ was .*$/mu;
const COUNTER = /The HOST proposes this code instead: ("(?:[^"\\]|\\.)*")/u;

const propose = (source: string): Reply => ({
  toolCalls: [
    {
      name: 'evaluate',
      args: {
        source,
        ...(source.includes('witness')
          ? { codeNames: ['witness'], petNames: ['witness'] }
          : {}),
        resultName: `result-${source.length}`,
        replace: true,
      },
    },
  ],
});

/**
 * A model that asks as the HOST tells it to:
 *
 * - `propose <source>`, with its value `witness` when the source has it;
 * - `request <name> <what>`;
 * - anything else it repeats.
 *
 * It says every outcome again, word for word with all that it was told with
 * it. A counter-proposal it accepts, unless the word `mine` is in its own.
 */
export const askAsTold = ({ body }: ServerRequest): Reply => {
  const { whole, text, results } = readTold(body);
  const [result] = results;
  if (result !== undefined) {
    return { text: result.startsWith('Error') ? result : 'Asked.' };
  }
  const [, counter] = COUNTER.exec(whole) ?? [];
  if (counter !== undefined) {
    return whole.includes('mine')
      ? { text: 'No: I keep to mine.' }
      : propose(JSON.parse(counter) as string);
  }
  if (OUTCOME.test(whole)) return { text: `Outcome: ${whole}` };
  const [verb, first = '', ...rest] = text.split(' ');
  if (verb === 'propose') return propose([first, ...rest].join(' '));
  if (verb !== 'request') return { text: `You said: ${text}` };
  const args = { recipientName: first, description: rest.join(' ') };
  return { toolCalls: [{ name: 'request', args }] };
};
