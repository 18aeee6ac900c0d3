import { E } from '@endo/far';
import { isRemotable, type Passable } from '@endo/pass-style';

import { type AdoptedSchema, parseAdoptedSchema } from './adopted-schema.ts';
import type { FaeTool } from './fae-tool.ts';
import { describeError } from './render.ts';
import { type TimePowers, within } from './within.ts';

type Probed = FaeTool & {
  readonly __getMethodNames__: () => Promise<readonly unknown[]>;
};

/** Whether it can be called, as far as it tells. */
const mayExecute = async (value: Probed): Promise<boolean> => {
  const methods = await E(value)
    .__getMethodNames__()
    .catch(() => undefined);
  return !Array.isArray(methods) || methods.includes('execute');
};

const probe = async (found: Promise<unknown>): Promise<AdoptedSchema> => {
  const value = await found;
  if (!isRemotable(value as Passable)) {
    throw Error('it is data, and no object');
  }
  const tool = value as Probed;
  const [raw, isCallable] = await Promise.all([
    E(tool).schema(),
    mayExecute(tool),
  ]);
  if (!isCallable) throw Error('it has no method execute');
  return parseAdoptedSchema(raw);
};

/**
 * Asks a capability for its schema: whatever it is, and whatever it does.
 *
 * @throws Error that says why it is no tool
 */
export const askForSchema = async (
  found: Promise<unknown>,
  time: TimePowers,
): Promise<AdoptedSchema> => {
  try {
    return await within(probe(found), time, 'it did not give its schema');
  } catch (error) {
    const reason = describeError(error).slice(0, 300);
    throw Error(`It is no FaeTool, because ${reason}`, { cause: error });
  }
};
harden(askForSchema);
