import { E } from '@endo/far';
import { isRemotable, type Passable } from '@endo/pass-style';

import { defineTool } from '../tool/define-tool.ts';
import { name } from '../tool/parameter-kinds.ts';
import { describeError, render } from '../tool/render.ts';
import { NAME_SPELLINGS } from './parameters.ts';
import type { TurnPowers } from './turn-powers.ts';

export const identify = defineTool({
  name: 'identify',
  description: 'The id of a named value.',
  effect: 'read',
  parameters: { petNamePath: name('', NAME_SPELLINGS) },
  execute: async ({ petNamePath }, { directory }: TurnPowers) => {
    const id = await directory.identify(petNamePath);
    if (id === undefined) {
      throw Error(
        `Nothing is named ${JSON.stringify(petNamePath.join('/'))}. See what there is with list.`,
      );
    }
    return id;
  },
});
harden(identify);

type Capability = {
  readonly help: () => unknown;
  readonly __getMethodNames__: () => readonly unknown[];
};

const isCapability = (value: unknown): value is Capability =>
  isRemotable(value as Passable);

/** Its own help; without that its methods; without those the plain truth. */
const askForHelp = async (capability: Capability): Promise<string> => {
  try {
    return render(await E(capability).help());
  } catch (noHelp) {
    const reason = `It has no help (${describeError(noHelp)})`;
    try {
      const methods = await E(capability).__getMethodNames__();
      return `${reason}. Its methods: ${methods.map(String).join(', ')}.`;
    } catch (noMethods) {
      return `${reason}, and does not tell its methods (${describeError(noMethods)}).`;
    }
  }
};

export const inspectCapability = defineTool({
  name: 'inspectCapability',
  description: 'What a value can do: its help, or its methods.',
  effect: 'read',
  parameters: { petNameOrPath: name('', NAME_SPELLINGS) },
  execute: async ({ petNameOrPath }, { directory }: TurnPowers) => {
    const value = await directory.lookup(petNameOrPath);
    return isCapability(value)
      ? askForHelp(value)
      : `It is data, not an object: ${render(value)}`;
  },
});
harden(inspectCapability);
