import { E } from '@endo/far';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Guest } from '../../src/endo/guest.ts';
import { provisionAgent } from '../../setup/provision.ts';
import { type Controller, type System, caplet } from './system.ts';

/** Another agent of the same HOST. */
export type OtherAgent = {
  readonly guest: Guest;
  readonly controller: Controller;
};

let setups = 1;

/** Makes an agent beside the first, or brings one to other settings. */
export const setUpAgent = async (
  { hostPowers }: Pick<System, 'hostPowers'>,
  name: string,
  env: { readonly [name: string]: string },
): Promise<OtherAgent> => {
  await provisionAgent(
    hostPowers as unknown as Parameters<typeof provisionAgent>[0],
    {
      env: { HOB_NAME: name, ...env },
      fetch: () => Promise.reject(Error('no probing here')),
      caplet,
      randomId: () => `provision-${(setups += 1)}`,
    },
  );
  return {
    guest: makeGenerationAGuest(
      await E(hostPowers).lookup(`profile-for-${name}`),
    ),
    controller: (await E(hostPowers).lookup(
      `controller-for-${name}`,
    )) as Controller,
  };
};

/** Gives `to` the address of the agent or guest `about`, under this name. */
export const introduce = async (
  { hostPowers, host }: Pick<System, 'hostPowers' | 'host'>,
  to: string,
  about: string,
  name: string = about,
): Promise<void> => {
  const profile = await E(hostPowers).lookup(`profile-for-${to}`);
  const id = await host.port.identify([about]);
  if (id === undefined) throw Error(`The HOST knows no ${about}`);
  await E(
    profile as { write: (name: string, id: string) => Promise<void> },
  ).write(name, id);
};
