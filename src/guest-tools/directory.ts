import type { NamePath } from '../endo/guest.ts';
import type { AdmittedPath } from '../endo/name-gate.ts';
import { defineTool } from '../tool/define-tool.ts';
import { name, optional, passable } from '../tool/parameter-kinds.ts';
import {
  FROM_SPELLINGS,
  NAME_SPELLINGS,
  replaceFlag,
  TO_SPELLINGS,
} from './parameters.ts';
import { isSameData } from './same-value.ts';
import type { TurnPowers } from './turn-powers.ts';

const show = (path: NamePath): string => JSON.stringify(path.join('/'));

const refuseToReplace = (path: NamePath): Error =>
  Error(
    `${show(path)} already names something else. Nothing was changed. Choose another name, or give "replace": true to overwrite it.`,
  );

/** Rejects unless the path names something; resolves to its id. */
const identifyOrFail = async (
  { directory }: TurnPowers,
  path: AdmittedPath,
): Promise<string> => {
  const id = await directory.identify(path);
  if (id === undefined) {
    throw Error(`Nothing is named ${show(path)}. See what there is with list.`);
  }
  return id;
};

export const has = defineTool({
  name: 'has',
  description: 'Is there such a name?',
  effect: 'read',
  parameters: { petNamePath: name('', NAME_SPELLINGS) },
  execute: ({ petNamePath }, { directory }: TurnPowers) =>
    directory.has(petNamePath),
});
harden(has);

export const list = defineTool({
  name: 'list',
  description: 'Names in your directory, or in the one at a path such as a/b.',
  effect: 'read',
  parameters: { petNamePath: optional(name('', NAME_SPELLINGS)) },
  execute: async ({ petNamePath = [] }, { directory, names }: TurnPowers) => {
    const found = await directory.list(petNamePath);
    return found.filter((each) => !names.isHidden(each));
  },
});
harden(list);

export const lookup = defineTool({
  name: 'lookup',
  description: 'Show the value of a name.',
  effect: 'read',
  parameters: { petNameOrPath: name('', NAME_SPELLINGS) },
  execute: ({ petNameOrPath }, { directory }: TurnPowers) =>
    directory.lookup(petNameOrPath),
});
harden(lookup);

export const store = defineTool({
  name: 'store',
  description: 'Keep a value under a name or path.',
  effect: 'idempotent',
  parameters: {
    petName: name('', NAME_SPELLINGS),
    value: passable('JSON; SmallCaps for more ("+5" is 5n)'),
    replace: replaceFlag,
  },
  execute: async ({ petName, value, replace }, { directory }: TurnPowers) => {
    if (!replace && (await directory.has(petName))) {
      if (!isSameData(await directory.lookup(petName), value)) {
        throw refuseToReplace(petName);
      }
      return `${show(petName)} already has this value.`;
    }
    await directory.storeValue(value, petName);
    return `Stored as ${show(petName)}.`;
  },
});
harden(store);

export const removedText = (path: NamePath): string => `Removed ${show(path)}.`;
harden(removedText);

export const movedText = (from: NamePath, to: NamePath): string =>
  `Moved ${show(from)} to ${show(to)}.`;
harden(movedText);

export const remove = defineTool({
  name: 'remove',
  description: 'Take a name away.',
  effect: 'once',
  parameters: { petNamePath: name('', NAME_SPELLINGS) },
  execute: async ({ petNamePath }, powers: TurnPowers) => {
    await identifyOrFail(powers, petNamePath);
    await powers.directory.remove(petNamePath);
    return removedText(petNamePath);
  },
});
harden(remove);

/** What the destination names, compared with the value that is to go there. */
const compareDestination = async (
  powers: TurnPowers,
  fromPath: AdmittedPath,
  toPath: AdmittedPath,
): Promise<'free' | 'same' | 'other'> => {
  const moved = await identifyOrFail(powers, fromPath);
  const there = await powers.directory.identify(toPath);
  if (there === undefined) {
    return 'free';
  }
  return there === moved ? 'same' : 'other';
};

export const move = defineTool({
  name: 'move',
  description: 'Rename or move.',
  effect: 'once',
  parameters: {
    fromPath: name('', FROM_SPELLINGS),
    toPath: name('', TO_SPELLINGS),
    replace: replaceFlag,
  },
  execute: async ({ fromPath, toPath, replace }, powers: TurnPowers) => {
    const destination = await compareDestination(powers, fromPath, toPath);
    if (fromPath.join('/') === toPath.join('/')) {
      return `${show(toPath)} has this name already.`;
    }
    if (destination === 'other' && !replace) {
      throw refuseToReplace(toPath);
    }
    await powers.directory.move(fromPath, toPath);
    return movedText(fromPath, toPath);
  },
});
harden(move);

export const copy = defineTool({
  name: 'copy',
  description: 'Give a value a second name.',
  effect: 'idempotent',
  parameters: {
    fromPath: name('', FROM_SPELLINGS),
    toPath: name('', TO_SPELLINGS),
    replace: replaceFlag,
  },
  execute: async ({ fromPath, toPath, replace }, powers: TurnPowers) => {
    const destination = await compareDestination(powers, fromPath, toPath);
    if (destination === 'same') {
      return `${show(toPath)} already names this value.`;
    }
    if (destination === 'other' && !replace) {
      throw refuseToReplace(toPath);
    }
    await powers.directory.copy(fromPath, toPath);
    return `Copied ${show(fromPath)} to ${show(toPath)}.`;
  },
});
harden(copy);

const isDirectory = async (
  { directory }: TurnPowers,
  path: AdmittedPath,
): Promise<boolean> =>
  directory.list(path).then(
    () => true,
    () => false,
  );

export const makeDirectory = defineTool({
  name: 'makeDirectory',
  description: 'Make a directory; never replaces.',
  effect: 'idempotent',
  parameters: { petNamePath: name('', NAME_SPELLINGS) },
  execute: async ({ petNamePath }, powers: TurnPowers) => {
    // A daemon may replace a directory, and lose all that is in it.
    if (await powers.directory.has(petNamePath)) {
      if (await isDirectory(powers, petNamePath)) {
        return `The directory ${show(petNamePath)} is there already.`;
      }
      throw Error(
        `${show(petNamePath)} already names something that is not a directory. Nothing was changed. Choose another name.`,
      );
    }
    await powers.directory.makeDirectory(petNamePath);
    return `Made the directory ${show(petNamePath)}.`;
  },
});
harden(makeDirectory);
