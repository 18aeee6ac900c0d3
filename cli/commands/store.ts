import { E } from '@endo/far';
import { parseBigInt, parseNameOrPath } from '../arguments.ts';
import { EXIT, reasonOf, usageError } from '../cli-error.ts';
import { assertFree } from '../names.ts';
import type { Command, Invocation } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw usageError(
      `--json ${visibleLine(text)}: not JSON (${reasonOf(error)}); for plain text use --text`,
    );
  }
};

const readers: Readonly<Record<string, (text: string) => unknown>> = harden({
  json: parseJson,
  text: (text: string) => text,
  bigint: parseBigInt,
});

const valueOf = (options: Invocation['options']): unknown => {
  const given = Object.entries(readers).flatMap(([kind, read]) => {
    const text = options[kind];
    return typeof text === 'string' ? [{ read, text }] : [];
  });
  const [only] = given;
  if (only === undefined || given.length > 1) {
    throw usageError(
      'store needs one value: --json <v>, --text <t> or --bigint <n>',
    );
  }
  return only.read(only.text);
};

/** Stores a value under a name; a name that is taken is not taken away unasked. */
export const store: Command = harden({
  spec: {
    name: 'store',
    summary: 'store a value under a name',
    args: [{ syntax: '<name>', help: 'a name, or a path into a directory' }],
    options: [
      { flags: '--json <value>', help: 'a JSON value' },
      { flags: '--text <text>', help: 'text, as it is' },
      { flags: '--bigint <n>', help: 'a whole number of any size' },
      { flags: '--replace', help: 'take the name from what has it' },
    ],
    examples: [
      `store limits --json '{"perDay":3}'`,
      'store motto --text hello',
    ],
  },
  run: async (powers, call) => {
    const value = harden(valueOf(call.options));
    const name = call.args[0] ?? '';
    const path = parseNameOrPath(name);
    return withPatientSession(powers, call, 'store', async ({ agent }) => {
      await assertFree(agent, name, call.options['replace'] === true);
      await E(agent).storeValue(value, path);
      powers.stdout.write(
        call.json
          ? jsonDocument({ stored: name })
          : `stored ${visibleLine(name)}\n`,
      );
      return EXIT.ok;
    });
  },
});
