import type { Reply, RequestBody, Script } from './openai-server.ts';
import { readTold } from './told-model.ts';

/** All that a request says, but for the program's own words. */
export const conversationOf = ({ messages }: RequestBody): string =>
  JSON.stringify(messages.filter(({ role }) => role !== 'system'));

const sendTo = (recipientName: string, text: string): Reply => ({
  toolCalls: [{ name: 'send', args: { recipientName, strings: [text] } }],
});

/**
 * A model that does what the newest mail says:
 *
 * - `tell <name> <words>` sends the words, and says so;
 * - `propose <source>` proposes it, and says so;
 * - `repeat everything above` repeats all that it was told;
 * - `wait <words>` answers when the gate opens;
 * - anything else it repeats.
 */
export const repeatTo =
  (gate: Promise<unknown> = Promise.resolve()): Script =>
  ({ body }) => {
    const { whole, text, results } = readTold(body);
    if (results.length > 0) return { text: `Done: ${text}` };
    if (whole.includes('Your proposal #')) return { text: 'It is decided.' };
    const [verb, first = '', ...rest] = text.split(' ');
    if (verb === 'tell') return sendTo(first, rest.join(' '));
    if (verb === 'propose') {
      const source = [first, ...rest].join(' ');
      return { toolCalls: [{ name: 'evaluate', args: { source } }] };
    }
    if (text === 'repeat everything above') {
      return { text: conversationOf(body) };
    }
    const answer = { text: `Heard: ${text}` };
    return verb === 'wait' ? { ...answer, after: gate } : answer;
  };
