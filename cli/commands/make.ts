import { E } from '@endo/far';
import { actingHost } from '../acting-host.ts';
import {
  optionText,
  optionTexts,
  parseNameOrPath,
  parseVariable,
} from '../arguments.ts';
import { CliError, EXIT, usageError } from '../cli-error.ts';
import { assertFree, assertKnown } from '../names.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import { withPatience, withSession } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** A module may have much to import. */
const PATIENCE_MS = 60_000;

const specifierOf = async (
  powers: CliPowers,
  { args, options }: Invocation,
): Promise<string> => {
  const [file = ''] = args;
  const shown = visibleLine(file);
  if (options['UNCONFINED'] !== true) {
    throw usageError(
      `make ${shown}: its code would run with all that you can do on this machine; say so with --UNCONFINED`,
    );
  }
  const specifier = await powers.files.findFile(file);
  if (specifier !== undefined) return specifier;
  throw new CliError(
    `make ${shown}: there is no such file; paths are relative to the current folder`,
  );
};

/** Makes a caplet of a file. Values of variables are in no output. */
export const make: Command = harden({
  spec: {
    name: 'make',
    summary: 'make a caplet of a file, in a worker of the daemon',
    args: [
      { syntax: '<file>', help: 'a module that exports make(powers, context)' },
    ],
    options: [
      {
        flags: '--UNCONFINED',
        help: 'required: the code can do all you can',
      },
      {
        flags: '-p, --powers <name>',
        help: 'AGENT, NONE (default), or the name of an agent',
      },
      { flags: '-n, --name <name>', help: 'a name for what it makes' },
      { flags: '-w, --worker <name>', help: 'a worker, made when it is new' },
      { flags: '--replace', help: 'take the name from what has it' },
      {
        flags: '-E, --env <K=V>',
        help: 'a variable for it; -E K takes it from the environment',
        repeated: true,
      },
    ],
    examples: ['make --UNCONFINED counter.js --name counter'],
  },
  run: async (powers, call) => {
    const specifier = await specifierOf(powers, call);
    const env = Object.fromEntries(
      optionTexts(call.options['env']).map((text) =>
        parseVariable(text, powers.env),
      ),
    );
    const name = optionText(call.options['name']);
    const worker = optionText(call.options['worker']);
    const powersName = optionText(call.options['powers']) ?? 'NONE';
    const options = harden({
      powersName: parseNameOrPath(powersName),
      env,
      ...(name === undefined ? {} : { resultName: parseNameOrPath(name) }),
    });
    const workerName =
      worker === undefined ? undefined : parseNameOrPath(worker);
    return withSession(powers, call, async ({ agent }) => {
      const host = await actingHost(agent, 'make', call);
      await assertKnown(host, powersName);
      if (name !== undefined) {
        await assertFree(host, name, call.options['replace'] === true);
      }
      const made = await withPatience(
        powers,
        'make',
        E(host).makeUnconfined(workerName, specifier, options),
        PATIENCE_MS,
      );
      powers.stdout.write(
        call.json
          ? jsonDocument({ made, name, specifier })
          : `made ${readable(made)}${name === undefined ? '; without --name it ends with the daemon' : `, named ${visibleLine(name)}`}\n`,
      );
      return EXIT.ok;
    });
  },
});
