import { E } from '@endo/far';

import type { PackageMail } from '../../src/endo/guest.ts';
import type { AgentWorld } from '../support/agent-world.ts';
import { type Person, makePerson } from '../support/person.ts';

type Writer = { readonly write: (path: string, id: string) => Promise<void> };

/** Bind an id under a name, as a host that introduces guests does. */
export const introduce = (
  powers: object,
  name: string,
  id: string,
): Promise<void> => E(powers as Writer).write(name, id);

/**
 * A guest who knows the agent as `hob`, whom the agent knows by his name,
 * unless `isNamed` says otherwise.
 */
export const meet = async (
  { world, hob }: Pick<AgentWorld, 'world' | 'hob'>,
  name: string,
  { isNamed = true }: { readonly isNamed?: boolean } = {},
): Promise<Person> => {
  const { powers, handleId } = await world.makeGuest(name);
  if (isNamed) await introduce(hob.powers, name, handleId);
  await introduce(powers, 'hob', hob.handleId);
  return makePerson(powers);
};

/** A message that brings one value, under this edge name. */
export const sendValue = async (
  { port, id }: Person,
  { text, edgeName, value }: { text: string; edgeName: string; value: unknown },
): Promise<PackageMail> => {
  await port.storeValue(value, [edgeName]);
  await port.send(['hob'], {
    strings: [text, ''],
    edgeNames: [edgeName],
    petNames: [[edgeName]],
  });
  const sent = (await port.listMessages()).findLast(({ from }) => from === id);
  if (sent?.type !== 'package')
    throw Error('There is no copy of what was sent');
  return sent;
};

/** The number that the header of the last message gives it. */
export const numberIn = (text: string | undefined): number =>
  Number(/^Message #(\d+) from/mu.exec(text ?? '')?.[1]);
