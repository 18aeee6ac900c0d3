import { EXIT, usageError } from '../cli-error.ts';
import type { CliPowers, Command } from '../powers.ts';
import { runScript } from '../run-script.ts';
import { withSession } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';
import { visibleLine } from '../visible.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** `K=V` sets a variable, `K` asserts that it is there: nothing to set. */
const applyVariable = (powers: CliPowers, given: string): void => {
  const equals = given.indexOf('=');
  const name = equals < 0 ? given : given.slice(0, equals);
  // The value stays out of the error: it may be a secret.
  if (!NAME.test(name)) {
    throw usageError(
      `-E ${visibleLine(name)}: not the name of a variable; write -E NAME=value, or -E NAME for the value in the environment`,
    );
  }
  if (equals >= 0) powers.setVariable(name, given.slice(equals + 1));
  else if (powers.env[name] === undefined) {
    throw usageError(
      `-E ${name}: the environment has no ${name}; set it first, or write -E ${name}=value`,
    );
  }
};

/** Runs a script of yours with the powers of the agent, in this process. */
export const run: Command = harden({
  spec: {
    name: 'run',
    summary: 'run a script with the powers of an agent',
    args: [
      { syntax: '<script>', help: 'a module that exports main(powers, …args)' },
      {
        syntax: '[args...]',
        help: 'handed to main; put -- before those that begin with a dash',
      },
    ],
    options: [
      {
        flags: '--UNCONFINED',
        help: 'required: the script can do all you can',
      },
      {
        flags: '-p, --powers <name>',
        help: 'AGENT (default), NONE, or a name to look up',
      },
      {
        flags: '-E, --env <K=V>',
        help: 'set a variable; -E K takes it from the environment',
        repeated: true,
      },
    ],
    examples: ['run --UNCONFINED setup/hob.ts --powers AGENT'],
  },
  run: async (powers, call) => {
    const [script = '', ...args] = call.args;
    if (call.options['UNCONFINED'] !== true) {
      throw usageError(
        `run ${visibleLine(script)}: the script would run with all that you can do; say so with --UNCONFINED`,
      );
    }
    const variables = call.options['env'];
    if (Array.isArray(variables)) {
      for (const given of variables) applyVariable(powers, String(given));
    }
    const given = call.options['powers'];
    const powersName = typeof given === 'string' ? given : 'AGENT';
    const work = (): Promise<unknown> =>
      withSession(powers, call, (session) =>
        runScript(powers, session, script, powersName, args),
      );
    const result = call.json
      ? await powers.withScriptsOnStderr(work)
      : await work();
    if (call.json) powers.stdout.write(jsonDocument(result));
    else if (result !== undefined) {
      powers.stdout.write(`${readable(result)}\n`);
    }
    return EXIT.ok;
  },
});
