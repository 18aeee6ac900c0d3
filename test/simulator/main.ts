/**
 * Tries a configuration of a model: `npm run simulator -- "a question"`. This
 * file holds the environment, the clock and the terminal.
 */
import { setConsole } from '../../daemon/connection/lockdown.ts';

import { parseArgs } from 'node:util';

import { makeEmphasis } from '../../cli/layout.ts';
import { parseConfig } from '../../src/config.ts';
import { describeSimulation } from './report.ts';
import { simulate } from './simulate.ts';

const PATIENCE_MS = 120_000;
const QUESTION = 'In one sentence: who are you, and what can you do for me?';
const USAGE = 'npm run simulator -- ["a question"] [--json]';

const { stdout, stderr, env } = process;

/** What this process is told of a model: the `LAL_*`, empty ones left out. */
const settingsIn = (all: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all).filter(
      (entry): entry is [string, string] =>
        entry[0].startsWith('LAL_') && (entry[1] ?? '') !== '',
    ),
  );

const readArguments = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  if (positionals.length > 1) throw Error('write the question in quotes');
  return { json: values.json, text: positionals[0] ?? QUESTION };
};

const run = async (json: boolean, text: string): Promise<void> => {
  const config = parseConfig(settingsIn(env));
  let endPatience: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    endPatience = setTimeout(resolve, PATIENCE_MS);
  });
  const simulation = await simulate(config, text, {
    now: () => performance.now(),
    patience,
  });
  clearTimeout(endPatience);
  const emphasis = makeEmphasis(
    { isTTY: stdout.isTTY, columns: 80, write: () => undefined },
    env,
  );
  stdout.write(
    `${json ? JSON.stringify(simulation, undefined, 2) : describeSimulation(simulation, emphasis)}\n`,
  );
  if (simulation.ok) return;
  stderr.write(`simulator: ${simulation.problem ?? 'no answer'}\n`);
  process.exitCode = 1;
};

const fail = (error: unknown, code: number): void => {
  stderr.write(
    `simulator: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = code;
};

setConsole((level, line) => {
  if (level === 'error') stderr.write(`${line}\n`);
});
try {
  const { json, text } = readArguments();
  await run(json, text).catch((error: unknown) => fail(error, 1));
} catch (error) {
  fail(error, 2);
  stderr.write(`usage: ${USAGE}\n`);
}
