import { E } from '@endo/far';
import { parseNameOrPath, parsePath } from './arguments.ts';
import { EXIT, usageError } from './cli-error.ts';
import { assertFree, assertKnown } from './names.ts';
import type { Command } from './powers.ts';
import { withPatientSession } from './session.ts';
import { jsonDocument } from './values.ts';
import { visibleLine } from './visible.ts';

const ENDS = [
  { syntax: '<from>', help: 'a name or a path' },
  { syntax: '<to>', help: 'the new name, or a path into a directory' },
] as const;

const REPLACE = {
  flags: '--replace',
  help: 'take the new name from what has it',
};

type Wording = {
  readonly name: 'move' | 'copy';
  readonly summary: string;
  readonly done: (from: string, to: string) => string;
  readonly example: string;
};

/** `move` and `copy`: the same two names, and the same care for the second. */
export const defineRelocation = (wording: Wording): Command =>
  harden({
    spec: {
      name: wording.name,
      summary: wording.summary,
      args: ENDS,
      options: [REPLACE],
      examples: [wording.example],
    },
    run: async (powers, call) => {
      const [from = '', to = ''] = call.args;
      parsePath(from);
      parsePath(to);
      if (from === to) {
        throw usageError(
          `${wording.name} ${visibleLine(from)}: both names are the same`,
        );
      }
      const ends = [parseNameOrPath(from), parseNameOrPath(to)] as const;
      const replace = call.options['replace'] === true;
      return withPatientSession(
        powers,
        call,
        wording.name,
        async ({ agent }) => {
          await assertKnown(agent, from);
          const replaced = await assertFree(agent, to, replace);
          await (wording.name === 'move'
            ? E(agent).move(...ends)
            : E(agent).copy(...ends));
          const done = wording.done(visibleLine(from), visibleLine(to));
          const instead =
            replaced === undefined ? '' : `, in the place of ${replaced}`;
          powers.stdout.write(
            call.json
              ? jsonDocument({ from, to, replaced: replaced !== undefined })
              : `${done}${instead}\n`,
          );
          return EXIT.ok;
        },
      );
    },
  });
harden(defineRelocation);
