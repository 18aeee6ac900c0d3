import { CliError } from './cli-error.ts';
import type { Invocation } from './powers.ts';
import type { RemoteAgent, RemoteHost } from './remote.ts';
import { methodNames } from './session.ts';
import { visibleLine } from './visible.ts';

/** Whether the agent is a host, who runs code, and not a guest. */
export const isHost = async (agent: RemoteAgent): Promise<boolean> =>
  (await methodNames(agent)).includes('makeUnconfined');
harden(isHost);

/** The agent of the call as a host, or an error in words. */
export const actingHost = async (
  agent: RemoteAgent,
  verb: string,
  { as = '' }: Pick<Invocation, 'as'>,
): Promise<RemoteHost> => {
  if (await isHost(agent)) return agent as RemoteHost;
  throw new CliError(
    `${verb} --as ${visibleLine(as)}: that is a guest, and only a host can ${verb}`,
  );
};
harden(actingHost);
