import { E } from '@endo/far';
import { parseNameOrPath, parsePath } from './arguments.ts';
import { CliError, reasonOf } from './cli-error.ts';
import type { CliPowers } from './powers.ts';
import type { RemoteAgent } from './remote.ts';
import type { Session } from './session.ts';
import { visibleLine } from './visible.ts';

type ScriptMain = (powers: unknown, ...args: string[]) => unknown;

const scriptMain = async (
  powers: CliPowers,
  script: string,
): Promise<ScriptMain> => {
  let module;
  try {
    module = await powers.importScript(script);
  } catch (error) {
    throw new CliError(
      `cannot import the script ${visibleLine(script)}: ${reasonOf(error)}`,
      { cause: error },
    );
  }
  const { main } = module;
  if (typeof main !== 'function') {
    throw new CliError(
      `the script ${visibleLine(script)} exports no function "main"; write: export const main = async (powers, ...args) => {}`,
    );
  }
  return main as ScriptMain;
};

const powersNamed = async (
  agent: RemoteAgent,
  name: string,
): Promise<unknown> => {
  if (name === 'AGENT') return agent;
  if (name === 'NONE') return harden({});
  if (!(await E(agent).has(...parsePath(name)))) {
    throw new CliError(
      `--powers ${visibleLine(name)}: nothing has that name; "list" shows the names`,
    );
  }
  return E(agent).lookup(parseNameOrPath(name));
};

/** Imports a script and calls its `main` with the powers of that name. */
export const runScript = async (
  powers: CliPowers,
  { agent }: Pick<Session, 'agent'>,
  script: string,
  powersName: string,
  args: readonly string[],
): Promise<unknown> => {
  const main = await scriptMain(powers, script);
  const authority = await powersNamed(agent, powersName);
  return main(authority, ...args);
};
harden(runScript);
