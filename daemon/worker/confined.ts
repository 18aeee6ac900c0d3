import { makeExo } from '@endo/exo';
import { passStyleOf } from '@endo/pass-style';
import { assertCodeNames } from './code-names.ts';
import { makeEndowments } from './endowments.ts';
import { ConfinedWorkerI } from './worker-guard.ts';
import type { Console } from '../connection/lockdown.ts';

/** What SES refuses by the look of it, even in a comment or in a string. */
const refusals = [
  { code: 'SES_IMPORT_REJECTED', text: 'import(' },
  { code: 'SES_EVAL_REJECTED', text: 'eval(' },
  { code: 'SES_HTML_COMMENT_REJECTED', text: '<!-- or -->' },
];

const explain = (error: unknown): unknown => {
  if (!(error instanceof SyntaxError)) return error;
  const { message } = error;
  const refusal = refusals.find(({ code }) => message.includes(code));
  if (refusal === undefined) return error;
  const line = /:(\d+)\. \(/u.exec(message)?.[1];
  const where = line === undefined ? '' : ` (line ${line})`;
  return SyntaxError(
    `The source was not run: it contains ${refusal.text}${where}, which confined code may not contain, not even in a comment or in a string. Write it another way.`,
  );
};

const bind = (
  endowments: Readonly<Record<string, unknown>>,
  names: readonly string[],
  values: readonly unknown[],
): Record<string, unknown> => {
  if (names.length !== values.length) {
    throw Error(
      `Each name needs one value: there are ${names.length} names and ${values.length} values`,
    );
  }
  assertCodeNames(names);
  const globals: Record<string, unknown> = { ...endowments };
  names.forEach((name, index) => {
    if (Object.hasOwn(endowments, name)) {
      throw Error(
        `The code name ${JSON.stringify(name)} is taken by a global of evaluated code`,
      );
    }
    globals[name] = values[index];
  });
  return globals;
};

/** Throws in words when a value cannot leave this worker. */
const assertPassable = (value: unknown): void => {
  try {
    passStyleOf(harden(value));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw TypeError(
      `The code ran, but what it came to cannot be passed on: ${why}`,
      { cause: error },
    );
  }
};

/** The bootstrap object of a worker for proposed code. */
export const makeConfinedWorker = (console: Console) => {
  const endowments = makeEndowments(console);

  const run = async (
    source: string,
    names: readonly string[],
    values: readonly unknown[],
  ): Promise<unknown> => {
    const globals = bind(endowments, names, values);
    let outcome: unknown;
    try {
      const compartment = new Compartment({
        name: 'evaluated code',
        globals: globals as unknown as Map<string, unknown>,
        __options__: true,
      });
      outcome = compartment.evaluate(source);
    } catch (error) {
      throw explain(error);
    }
    const value = await outcome;
    assertPassable(value);
    return value;
  };

  return makeExo('HobConfinedWorker', ConfinedWorkerI, {
    evaluate(
      source: string,
      names: readonly string[],
      values: readonly unknown[],
    ) {
      return run(source, names, values);
    },
  });
};
harden(makeConfinedWorker);
