import { isHost } from '../acting-host.ts';
import { optionText, parseNameOrPath, parsePair } from '../arguments.ts';
import { CliError, EXIT, reasonOf, usageError } from '../cli-error.ts';
import { assertFree } from '../names.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import { evaluateAs, proposeAs } from '../proposing.ts';
import type { Code } from '../proposing.ts';
import { withPatience, withSession } from '../session.ts';
import type { Session } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';

/** When it is said that the code still runs; the daemon ends it in the end. */
const SLOW_MS = 5_000;

const codeOf = ({ args, options }: Invocation): Code => {
  const [source = '', ...pairs] = args;
  const values = pairs.map((text) => parsePair(text, 'codeName:petName'));
  const name = optionText(options['name']);
  const worker = optionText(options['worker']);
  return harden({
    workerName: worker === undefined ? undefined : parseNameOrPath(worker),
    source,
    codeNames: values.map(([codeName]) => codeName),
    petNames: values.map(([, petName]) => parseNameOrPath(petName)),
    resultName: name === undefined ? undefined : parseNameOrPath(name),
  });
};

const writeResult = (
  { stdout }: CliPowers,
  { json }: Invocation,
  result: unknown,
): number => {
  stdout.write(json ? jsonDocument(result) : `${readable(result)}\n`);
  return EXIT.ok;
};

const runCode = async (
  powers: CliPowers,
  call: Invocation,
  { agent }: Session,
  code: Code,
): Promise<number> => {
  if (call.options['wait'] === false) {
    throw usageError('--no-wait is for the proposals of a guest; a host runs');
  }
  const cancel = powers.after(SLOW_MS, () => {
    powers.stderr.write('the code still runs; Ctrl-C stops the waiting\n');
  });
  try {
    return writeResult(powers, call, await evaluateAs(agent, code));
  } finally {
    cancel();
  }
};

/** Resolves to the result of a proposal, or to `left` at a Ctrl-C. */
const untilDecided = async (
  powers: CliPowers,
  result: Promise<unknown>,
  tell: string,
): Promise<{ readonly value: unknown } | 'left'> => {
  let stopListening: () => void = () => undefined;
  const left = new Promise<'left'>((resolve) => {
    stopListening = powers.onInterrupt(() => resolve('left'));
  });
  try {
    powers.stderr.write(tell);
    return await Promise.race([result.then((value) => ({ value })), left]);
  } finally {
    stopListening();
  }
};

const proposeCode = async (
  powers: CliPowers,
  call: Invocation,
  { agent }: Session,
  code: Code,
): Promise<number> => {
  const proposed = await withPatience(powers, 'eval', proposeAs(agent, code));
  if (proposed.type === 'done') {
    return writeResult(powers, call, await proposed.result);
  }
  const { message, result } = proposed;
  const { number, messageId } = message;
  const wait = call.options['wait'] !== false;
  const head = `proposed to the HOST, as #${number} of your mail`;
  const writeOpen = (text: string): void => {
    powers.stdout.write(
      call.json ? jsonDocument({ proposed: number, messageId }) : text,
    );
  };
  if (!wait) {
    writeOpen(`${head}\n`);
    return EXIT.ok;
  }
  const tell = `${head}; Ctrl-C stops the waiting, not the proposal\n`;
  try {
    const decided = await untilDecided(powers, result, tell);
    if (decided !== 'left') return writeResult(powers, call, decided.value);
  } catch (error) {
    throw new CliError(`the proposal #${number}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  writeOpen(`#${number} is not decided yet\n`);
  return EXIT.decision;
};

/** Runs code, confined, with the values it is given; a guest proposes it. */
export const evaluate: Command = harden({
  spec: {
    name: 'eval',
    summary: 'run code with values of yours; as a guest, propose it',
    freeText: true,
    args: [
      { syntax: '<source>', help: 'an expression, such as "a + b"' },
      {
        syntax: '[codeName:petName...]',
        help: 'a name in the code, and the name or path of its value',
      },
    ],
    options: [
      { flags: '-n, --name <name>', help: 'a name for the result' },
      { flags: '-w, --worker <name>', help: 'a worker, made when it is new' },
      { flags: '--replace', help: 'take the name from what has it' },
      { flags: '--no-wait', help: 'as a guest: do not wait for the decision' },
    ],
    examples: [
      'eval "price * 2n" price:shop/tea --name double',
      'eval "1 + 1" --as profile-for-hob',
    ],
  },
  run: async (powers, call) => {
    const code = codeOf(call);
    return withSession(powers, call, async (session) => {
      const { agent } = session;
      const name = optionText(call.options['name']);
      const [runs] = await withPatience(
        powers,
        'eval',
        Promise.all([
          isHost(agent),
          name === undefined
            ? undefined
            : assertFree(agent, name, call.options['replace'] === true),
        ]),
      );
      return runs
        ? runCode(powers, call, session, code)
        : proposeCode(powers, call, session, code);
    });
  },
});
