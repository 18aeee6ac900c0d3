/**
 * Makes an agent on the daemon, or brings it to other settings:
 *
 *   run --UNCONFINED setup/hob.ts --powers AGENT -E HOB_NAME=hob
 *
 * This file holds the ambient authority (the environment, the network for one
 * look at this machine, standard output); `provision.ts` does the work.
 */
import { provisionMoved } from './moved-agents.ts';
import type { Moved } from './moved-agents.ts';
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

const pathOf = (url: string): string =>
  decodeURIComponent(new URL(url).pathname);

/** Said when another program took over, as after a move of its folder. */
const describeBefore = (before: string | undefined): string =>
  before === undefined
    ? ''
    : `\n  it runs ${pathOf(CAPLET)} now; before, it ran ${pathOf(before)}`;

const describe = ({
  outcome,
  name,
  host,
  model,
  note,
  before,
}: Provisioned): string => {
  const mind = model === undefined ? host : `${model} at ${host}`;
  const isNews = note !== undefined && outcome !== 'unchanged';
  const remark = isNews ? `\n  ${note}` : '';
  return `${name}: ${DONE[outcome]}, thinks with ${mind}${remark}${describeBefore(before)}\n`;
};

const describeMoved = (moved: Moved): string =>
  'provisioned' in moved
    ? describe(moved.provisioned)
    : `${moved.name}: it does not come up, and could not be set up again from this folder: ${moved.problem}\n  try: HOB_NAME=${moved.name} npm start\n`;

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
  const powers = {
    env: process.env,
    fetch: (url: string, init: { readonly signal: AbortSignal }) =>
      fetch(url, init),
    caplet: CAPLET,
    randomId: () => globalThis.crypto.randomUUID(),
  };
  const provisioned = await provisionAgent(agent, powers);
  process.stdout.write(describe(provisioned));
  const { name } = provisioned;
  for (const moved of await provisionMoved(agent, powers, name))
    process.stdout.write(describeMoved(moved));
  process.stdout.write(`next: npm run -s hob -- talk ${name}\n`);
};
harden(main);
