import { optionTexts, parseVariable } from '../arguments.ts';
import { EXIT, usageError } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { runScript } from '../run-script.ts';
import { withSession } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';
import { visibleLine } from '../visible.ts';

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
    for (const given of optionTexts(call.options['env'])) {
      powers.setVariable(...parseVariable(given, powers.env));
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
