import { Command as Commander, CommanderError } from 'commander';
import { CliError, EXIT, reasonOf, usageError } from './cli-error.ts';
import { commandGroups } from './commands/index.ts';
import type { CliPowers, Command, Invocation } from './powers.ts';
import { groupNamed, verbList } from './verb-group.ts';
import { visibleLine } from './visible.ts';

const HELP_WIDTH = 80;

// What begins with dashes and reads like an option was probably meant as one.
const LIKE_AN_OPTION = /^--?[A-Za-z][\w-]*(?:=.*)?$/u;

const assertFreeText = (args: readonly string[], argv: readonly string[]) => {
  if (argv.includes('--')) return;
  const stray = args.find((arg) => LIKE_AN_OPTION.test(arg));
  if (stray !== undefined) {
    throw usageError(
      `unknown option ${visibleLine(stray)}; put -- before text that begins with a dash`,
    );
  }
};

/** What a daemon of ours says of a name that there is not. */
const NO_SUCH_NAME = /^No value is named "[^"]*"$/u;

type SharedOptions = {
  readonly json?: unknown;
  readonly as?: unknown;
  readonly verbose?: unknown;
};

/** `store --json <v>` has a value: only a plain flag asks for JSON output. */
const invocationOf = (
  args: readonly string[],
  options: SharedOptions & Record<string, unknown>,
  shared: SharedOptions,
): Invocation => {
  const as = options.as ?? shared.as;
  return harden({
    args,
    options: { ...options },
    json: options.json === true || shared.json === true,
    ...(typeof as === 'string' ? { as } : {}),
  });
};

const addShared = (command: Commander, except: readonly string[]): void => {
  const shared: readonly (readonly [string, string])[] = [
    ['--as <agent-name>', 'act as that agent, such as profile-for-hob'],
    ['--json', 'print one JSON document'],
    ['--verbose', 'show the stack of an error'],
  ];
  for (const [flags, help] of shared) {
    const [name = ''] = flags.split(' ');
    if (!except.includes(name)) command.option(flags, help);
  }
};

const collect = (value: string, before: unknown): readonly string[] => [
  ...(Array.isArray(before) ? (before as string[]) : []),
  value,
];

const addCommand = (
  program: Commander,
  { spec, run }: Command,
  powers: CliPowers,
  argv: readonly string[],
  finish: (exitCode: number) => void,
): void => {
  const [word = '', ...group] = spec.name.split(' ').reverse();
  const parent = group.reduceRight(groupNamed, program);
  const command = parent.command(word).description(spec.summary);
  for (const { syntax, help } of spec.args ?? []) {
    command.argument(syntax, help);
  }
  for (const { flags, help, repeated } of spec.options ?? []) {
    if (repeated === true) command.option(flags, help, collect);
    else command.option(flags, help);
  }
  addShared(
    command,
    (spec.options ?? []).map(({ flags }) => flags.split(' ')[0] ?? ''),
  );
  if (spec.freeText === true) command.allowUnknownOption();
  const examples = spec.examples ?? [];
  if (examples.length > 0) {
    const lines = examples.map((line) => `  npm run -s hob -- ${line}`);
    command.addHelpText('after', `\nFor example:\n${lines.join('\n')}`);
  }
  command.action(async () => {
    const args = [...command.args];
    if (spec.freeText === true) assertFreeText(args, argv);
    const call = invocationOf(args, command.opts(), program.opts());
    finish(await run(powers, call));
  });
};

const makeProgram = (
  powers: CliPowers,
  argv: readonly string[],
  finish: (exitCode: number) => void,
): Commander => {
  const program = new Commander('hob')
    .description('Talk with agents on an Endo daemon, and look after them.')
    .enablePositionalOptions()
    .exitOverride()
    .usage('<verb> [options]')
    .configureHelp(verbList)
    .configureOutput({
      writeOut: (text) => powers.stdout.write(text),
      // Its errors come as exceptions too, and are told once.
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(HELP_WIDTH, powers.stdout.columns),
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  addShared(program, []);
  for (const { heading, commands } of commandGroups) {
    program.commandsGroup(heading);
    for (const command of commands) {
      addCommand(program, command, powers, argv, finish);
    }
  }
  program
    .commandsGroup('Help:')
    .helpCommand('help [verb]', 'say what a verb takes, and show examples');
  return program;
};

const asCliError = (error: unknown): CliError => {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help') {
      return usageError('there is no such verb; --help lists them');
    }
    const text = error.message.replace(/^error: /u, '');
    const hint =
      error.code === 'commander.unknownCommand'
        ? '--help lists the verbs'
        : 'the verb with --help says what it takes';
    return usageError(`${reasonOf(text)}; ${hint}`);
  }
  const reason = reasonOf(error);
  const remedy = NO_SUCH_NAME.test(reason) ? '; "list" shows the names' : '';
  return new CliError(`${reason}${remedy}`, { cause: error });
};

const tell = (
  powers: CliPowers,
  error: unknown,
  argv: readonly string[],
): number => {
  const told = asCliError(error);
  powers.stderr.write(`hob: ${visibleLine(told.message)}\n`);
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  if (own.includes('--verbose')) {
    for (let at = error; at instanceof Error; at = at.cause) {
      powers.stderr.write(`${at.stack ?? String(at)}\n`);
    }
  }
  return told.exitCode;
};

/**
 * Does what the command line says.
 *
 * Contract: never rejects; an error is one line on standard error, and the
 * exit code.
 *
 * @param argv - the words after the program's name
 */
export const runCli = async (
  powers: CliPowers,
  argv: readonly string[],
): Promise<number> => {
  let exitCode: number = EXIT.ok;
  const program = makeProgram(powers, argv, (code) => {
    exitCode = code;
  });
  if (argv.length === 0) {
    powers.stderr.write(program.helpInformation());
    return EXIT.usage;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    return tell(powers, error, argv);
  }
};
harden(runCli);
