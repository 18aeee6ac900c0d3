/**
 * What a scripted model was told, as a real one would read it: for scripts
 * that answer by the words of the newest message and not by its place.
 */
import type { RequestBody } from './openai-server.ts';

export type Told = {
  /** All of the newest message to the model. */
  readonly whole: string;
  /** Of the mail that it is about; -1 when it tells an outcome. */
  readonly number: number;
  /** `HOST`, or a quoted name; empty when it tells an outcome. */
  readonly from: string;
  /** The text of that mail. */
  readonly text: string;
  /** Results of the tools that were called since. */
  readonly results: readonly string[];
};

const MAIL = /^Message #(\d+) from (.+):\n(?:asks for a value: )?(".*")$/mu;

export const readTold = ({ messages }: RequestBody): Told => {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const whole = messages[at]?.content ?? '';
  const [, number = '-1', from = '', text = '""'] = MAIL.exec(whole) ?? [];
  return {
    whole,
    number: Number(number),
    from,
    text: JSON.parse(text) as string,
    results: messages
      .slice(at + 1)
      .flatMap(({ role, content }) => (role === 'tool' ? [content ?? ''] : [])),
  };
};
