import type { Guest, NamePath } from '../endo/guest.ts';
import type { AdoptedTools } from './adopted-tools.ts';
import { assertNotToolsItself } from './tools-folder.ts';

/**
 * The guest of a turn: what the turn changes in `tools/` holds for its next
 * model call, without waiting for the daemon to tell of it.
 */
export const watchTools = (
  guest: Guest,
  { refresh }: Pick<AdoptedTools, 'refresh'>,
): Guest => {
  const after = async (
    change: Promise<void>,
    ...paths: readonly NamePath[]
  ): Promise<void> => {
    await change;
    for (const path of paths) await refresh(path);
  };
  return harden({
    ...guest,
    remove: (path) => after(guest.remove(path), path),
    move: async (from, to) => {
      assertNotToolsItself(to);
      await after(guest.move(from, to), from, to);
    },
    copy: async (from, to) => {
      assertNotToolsItself(to);
      await after(guest.copy(from, to), to);
    },
    storeValue: async (value, path) => {
      assertNotToolsItself(path);
      await after(guest.storeValue(value, path), path);
    },
    makeDirectory: (path) => after(guest.makeDirectory(path), path),
    adopt: async (number, edgeName, path) => {
      assertNotToolsItself(path);
      await after(guest.adopt(number, edgeName, path), path);
    },
  });
};
harden(watchTools);
