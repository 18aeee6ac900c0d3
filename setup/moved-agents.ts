import { E } from '@endo/far';
import { provideGuest, runningController } from './controller.ts';
import type { SetupHost } from './controller.ts';
import { provisionAgent } from './provision.ts';
import type { Provisioned, SetupPowers } from './provision.ts';

/** What became of an agent whose program was no longer there. */
export type Moved =
  | { readonly provisioned: Provisioned }
  | { readonly name: string; readonly problem: string };

const CONTROLLER = 'controller-for-';

/** Whether it is of another folder, and does not come up. */
const isStranded = async (
  host: SetupHost,
  { caplet }: SetupPowers,
  name: string,
): Promise<boolean> => {
  if (!(await E(host).has(`profile-for-${name}`))) return false;
  const place = await provideGuest(host, name);
  const { stored } = place;
  if (stored === undefined || stored.caplet === caplet) return false;
  return (await runningController(place)) === undefined;
};

/**
 * Sets the other agents of this host up again that a move of the program's
 * folder has left behind, with the settings they had. One that cannot be does
 * not hold up the others. Those that run, from wherever, are left alone.
 */
export const provisionMoved = async (
  host: SetupHost,
  powers: SetupPowers,
  except: string,
): Promise<readonly Moved[]> => {
  const names = (await E(host).list()).flatMap((name) =>
    name.startsWith(CONTROLLER) ? [name.slice(CONTROLLER.length)] : [],
  );
  const moved: Moved[] = [];
  for (const name of names) {
    try {
      if (name === except || !(await isStranded(host, powers, name))) continue;
      const env = { HOB_NAME: name };
      const provisioned = await provisionAgent(host, { ...powers, env });
      moved.push({ provisioned });
    } catch (error) {
      moved.push({ name, problem: (error as Error).message });
    }
  }
  return harden(moved);
};
harden(provisionMoved);
