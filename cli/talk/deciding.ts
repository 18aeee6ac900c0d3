import { E } from '@endo/far';
import { parseMessageNumber, parseNameOrPath } from '../arguments.ts';
import { CliError, reasonOf, usageError } from '../cli-error.ts';
import { counter, grant, reject } from '../decide.ts';
import { isProposal } from '../decisions.ts';
import type { WireMessage } from '../remote.ts';
import { readable } from '../values.ts';
import type { Step, Talk } from './talk-powers.ts';

export type DecidingVerb = 'grant' | 'reject' | 'counter' | 'resolve';

const WHAT: Readonly<Record<DecidingVerb, string>> = harden({
  grant: 'proposal',
  counter: 'proposal',
  resolve: 'request',
  reject: 'request or proposal',
});

export const isDecidingVerb = (verb: string): verb is DecidingVerb =>
  Object.hasOwn(WHAT, verb);
harden(isDecidingVerb);

const fits = (verb: DecidingVerb, message: WireMessage): boolean => {
  if (verb === 'reject') return true;
  return verb === 'resolve' ? message.type === 'request' : isProposal(message);
};

type Choice = {
  readonly number: bigint;
  /** Unknown for what is not open: the daemon will say why. */
  readonly messageId: string | undefined;
  readonly rest: string;
};

/** The message that is meant: the one named first, or the only open one. */
const choose = async (
  { conversation }: Talk,
  verb: DecidingVerb,
  text: string,
): Promise<Choice> => {
  const open = await conversation.allOpen();
  const [, given, rest = ''] = /^#?(\d+)(?:\s+([\s\S]*))?$/u.exec(text) ?? [];
  if (given !== undefined) {
    const number = parseMessageNumber(given);
    const found = open.find((message) => message.number === number);
    // Code may begin with a number of its own; a grant has nothing but one.
    const isCode = verb === 'counter' && !text.startsWith('#');
    if (found !== undefined || !isCode) {
      return { number, messageId: found?.messageId, rest };
    }
  }
  const candidates = open.filter((message) => fits(verb, message));
  const [only, ...others] = candidates;
  if (only === undefined) {
    throw new CliError(`no ${WHAT[verb]} is open; /open lists what is`);
  }
  if (others.length > 0) {
    const numbers = candidates.map(({ number }) => `#${number}`).join(', ');
    throw usageError(
      `${numbers} are open: say which, as /${verb} ${only.number}`,
    );
  }
  return { number: only.number, messageId: only.messageId, rest: text };
};

const needed = (text: string, verb: DecidingVerb, what: string): string => {
  if (text.trim() !== '') return text;
  throw usageError(`/${verb} needs ${what}, as /${verb} <n> <${what}>`);
};

const carryOut = async (
  { session: { agent }, screen }: Talk,
  verb: DecidingVerb,
  { number, rest }: Choice,
): Promise<void> => {
  switch (verb) {
    case 'grant': {
      if (rest.trim() !== '') throw usageError('/grant takes a number alone');
      const result = await grant(agent, number);
      screen.note(`granted #${number}; its result: ${readable(result)}`);
      return;
    }
    case 'reject':
      await reject(agent, number, rest.trim());
      screen.note(`rejected #${number}`);
      return;
    case 'counter': {
      const source = needed(rest, verb, 'code');
      await counter(agent, number, source, []);
      screen.note(`countered #${number} with: ${source}`);
      return;
    }
    case 'resolve': {
      const name = needed(rest, verb, 'name').trim();
      await E(agent).resolve(number, parseNameOrPath(name));
      screen.note(`answered #${number} with ${name}`);
      return;
    }
  }
};

/** Whether `/verb text` would find what it is about now. */
export const canDecide = async (
  { conversation }: Talk,
  verb: DecidingVerb,
  text: string,
): Promise<boolean> =>
  (verb !== 'counter' && /^#?\d/u.test(text)) ||
  (await conversation.allOpen()).some((message) => fits(verb, message));
harden(canDecide);

/** Granted code that fails is decided all the same, and is heard of. */
const isDecidedBy = async (
  { conversation }: Talk,
  messageId: string | undefined,
): Promise<boolean> => {
  if (messageId === undefined) return false;
  const open = await conversation.allOpen();
  return open.every((message) => message.messageId !== messageId);
};

/** Makes a decision; `decided` names the message that it was about. */
export const decide = async (
  talk: Talk,
  verb: DecidingVerb,
  text: string,
): Promise<Step> => {
  const choice = await choose(talk, verb, text);
  const { messageId } = choice;
  const decided = messageId === undefined ? {} : { decided: messageId };
  try {
    await carryOut(talk, verb, choice);
    return decided;
  } catch (error) {
    if (!(await isDecidedBy(talk, messageId))) throw error;
    talk.screen.note(reasonOf(error));
    return { ...decided, failed: true };
  }
};
harden(decide);
