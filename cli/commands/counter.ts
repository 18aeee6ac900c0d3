import {
  optionText,
  parseMessageNumber,
  parseNameOrPath,
} from '../arguments.ts';
import { EXIT, usageError } from '../cli-error.ts';
import { counter as counterProposal, parseBinding } from '../decide.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';

/** Proposes other code in the place of what was proposed. */
export const counter: Command = harden({
  spec: {
    name: 'counter',
    summary: 'propose other code in the place of a proposal',
    args: [
      { syntax: '<n>', help: 'number of the proposal' },
      {
        syntax: '[bindings...]',
        help: 'codeName:petName, for values besides those that the source goes on using',
      },
    ],
    options: [
      { flags: '--source <js>', help: 'the code, whole' },
      { flags: '--name <name>', help: 'the name you propose for its result' },
    ],
    examples: ["counter 12 --source 'E(counter).read()' counter:my-counter"],
  },
  run: async (powers, call) => {
    const [n = '', ...given] = call.args;
    const number = parseMessageNumber(n);
    const source = optionText(call.options['source']);
    if (source === undefined || source.trim() === '') {
      throw usageError(
        `counter ${number} needs the code: --source '<js>'; "inbox ${number}" shows what was proposed`,
      );
    }
    const bindings = given.map(parseBinding);
    const name = optionText(call.options['name']);
    const resultName = name === undefined ? undefined : parseNameOrPath(name);
    return withPatientSession(powers, call, 'counter', async ({ agent }) => {
      const used = await counterProposal(
        agent,
        number,
        source,
        bindings,
        resultName,
      );
      powers.stdout.write(
        call.json
          ? jsonDocument({ countered: number, source, bindings: used })
          : `countered #${number}\n`,
      );
      return EXIT.ok;
    });
  },
});
