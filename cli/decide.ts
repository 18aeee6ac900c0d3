import { E } from '@endo/far';
import { parseNameOrPath, parsePair } from './arguments.ts';
import { CliError, usageError } from './cli-error.ts';
import { isProposal, stateOf } from './decisions.ts';
import { listMail } from './mail.ts';
import type {
  NameOrPath,
  RemoteAgent,
  RemoteHost,
  WireMessage,
} from './remote.ts';
import { methodNames } from './session.ts';
import { visibleLine } from './visible.ts';

const hostFor = async (
  agent: RemoteAgent,
  method: 'grantEvaluate' | 'counterEvaluate',
): Promise<RemoteHost> => {
  if ((await methodNames(agent)).includes(method)) return agent as RemoteHost;
  throw new CliError(
    `only a host can do that, on a daemon that has ${method}; a guest can reject what is proposed to it, or propose it itself`,
  );
};

const findProposal = async (
  agent: RemoteAgent,
  number: bigint,
): Promise<WireMessage> => {
  const messages = await listMail(agent);
  const message = messages.find((each) => each.number === number);
  if (message !== undefined && isProposal(message)) return message;
  throw new CliError(
    message === undefined
      ? `there is no message #${number}; "inbox" shows the numbers`
      : `#${number} is no proposal but a ${visibleLine(message.type)}`,
  );
};

/** Runs the code of a proposal, once; resolves to its result. */
export const grant = async (
  agent: RemoteAgent,
  number: bigint,
): Promise<unknown> => {
  const host = await hostFor(agent, 'grantEvaluate');
  return E(host).grantEvaluate(number);
};
harden(grant);

/** Refuses a request or a proposal; the reason reaches the other end. */
export const reject = async (
  agent: RemoteAgent,
  number: bigint,
  reason: string,
): Promise<void> => {
  const messages = await listMail(agent);
  const message = messages.find((each) => each.number === number);
  if (
    message !== undefined &&
    isProposal(message) &&
    stateOf(message) === undefined
  ) {
    throw new CliError(
      `#${number} cannot be rejected: this daemon ignores the rejection of a proposal; say it in a message, and dismiss it`,
    );
  }
  await (reason === ''
    ? E(agent).reject(number)
    : E(agent).reject(number, reason));
};
harden(reject);

export type Binding = {
  readonly codeName: string;
  readonly petName: NameOrPath;
};

const CODE_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** `counter:my-counter`, or `counter` alone for a value of the same name. */
export const parseBinding = (text: string): Binding => {
  const [codeName, petName] = parsePair(text, 'codeName:petName');
  if (!CODE_NAME.test(codeName)) {
    throw usageError(
      `"${visibleLine(codeName)}" cannot be a name in code; write codeName:petName, as counter:my-counter`,
    );
  }
  return harden({ codeName, petName: parseNameOrPath(petName) });
};
harden(parseBinding);

const mentions = (source: string, name: string): boolean =>
  source
    .split(/[^\p{ID_Continue}$\u200c\u200d]+/u)
    .some((each) => each === name);

/**
 * What the values of the first proposal are called here: those that the new
 * source mentions, and that are not given anew, go on under their names.
 */
const bindingsFor = async (
  agent: RemoteAgent,
  proposal: WireMessage,
  source: string,
  given: readonly Binding[],
): Promise<readonly Binding[]> => {
  const { codeNames, ids } = proposal;
  const names = Array.isArray(codeNames) ? codeNames.map(String) : [];
  const wanted = names.flatMap((codeName, i) => {
    const id = Array.isArray(ids) ? String(ids[i]) : '';
    const isGiven = given.some((each) => each.codeName === codeName);
    return isGiven || !mentions(source, codeName) ? [] : [{ codeName, id }];
  });
  const kept = await Promise.all(
    wanted.map(async ({ codeName, id }) => {
      const [petName] = await E(agent).reverseIdentify(id);
      if (petName !== undefined) return { codeName, petName };
      throw new CliError(
        `you have no name for the value ${visibleLine(codeName)} of #${proposal.number}; adopt it first, or say ${visibleLine(codeName)}:<petName>`,
      );
    }),
  );
  return [...kept, ...given];
};

/**
 * Proposes other code in the place of a proposal, which is closed by it.
 *
 * @param given - values besides those that the source goes on using
 */
export const counter = async (
  agent: RemoteAgent,
  number: bigint,
  source: string,
  given: readonly Binding[],
  resultName?: NameOrPath,
): Promise<readonly Binding[]> => {
  const host = await hostFor(agent, 'counterEvaluate');
  const proposal = await findProposal(agent, number);
  const bindings = await bindingsFor(agent, proposal, source, given);
  const codeNames = bindings.map(({ codeName }) => codeName);
  const petNames = bindings.map(({ petName }) => petName);
  const result = E(host).counterEvaluate(
    number,
    source,
    harden(codeNames),
    harden(petNames),
    undefined,
    resultName,
  );
  await settledByNow(agent, result);
  return bindings;
};
harden(counter);

/**
 * A call whose answer may take for ever, on a daemon that waits for the result
 * of what it only had to post. What fails at once rejects.
 */
const settledByNow = async (
  agent: RemoteAgent,
  answer: Promise<unknown>,
): Promise<void> => {
  answer.catch(() => undefined);
  const posted = async (): Promise<void> => {
    // One for the call to arrive, one for its failure to come back.
    await E(agent).has('SELF');
    await E(agent).has('SELF');
  };
  await Promise.race([answer, posted()]);
};
