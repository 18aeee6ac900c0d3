/**
 * Makes an agent on the daemon, or brings it to other settings:
 *
 *   run --UNCONFINED setup/hob.ts --powers AGENT -E HOB_NAME=hob
 *
 * This file holds the ambient authority (the environment, the network for one
 * look at this machine, standard output); `provision.ts` does the work.
 */
import { provisionAgent } from './provision.ts';
import type { SetupHost } from './controller.ts';
import type { Provisioned } from './provision.ts';

// Built, the caplet is a .js beside this script's .js.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const CAPLET = new URL(`../src/caplet.${extension}`, import.meta.url).href;

const DONE = harden({
  made: 'made',
  reconfigured: 'set up anew',
  unchanged: 'left as it is',
});

const describe = ({
  outcome,
  name,
  host,
  model,
  note,
}: Provisioned): string => {
  const mind = model === undefined ? host : `${model} at ${host}`;
  const isNews = note !== undefined && outcome !== 'unchanged';
  const remark = isNews ? `\n  ${note}` : '';
  return `${name}: ${DONE[outcome]}, thinks with ${mind}${remark}\nnext: npm run -s hob -- talk ${name}\n`;
};

/** @param agent - the powers of a host */
export const main = async (
  agent: SetupHost,
  ...args: readonly string[]
): Promise<void> => {
  if (args.length > 0) {
    throw Error(
      `setup takes no arguments (${args.join(' ')}); its settings are variables: -E LAL_HOST=…, -E HOB_NAME=…`,
    );
  }
  const provisioned = await provisionAgent(agent, {
    env: process.env,
    fetch: (url, init) => fetch(url, init),
    caplet: CAPLET,
    randomId: () => globalThis.crypto.randomUUID(),
  });
  process.stdout.write(describe(provisioned));
};
harden(main);
