import type { NameGate } from '../endo/name-gate.ts';

/**
 * The gate of a turn that has one folder: whatever name is given means a name
 * in it. Nothing outside is looked at, so that no answer tells what is there.
 */
export const makeFolderGate = (gate: NameGate, folder: string): NameGate =>
  harden({
    admit: async (nameOrPath: unknown) => {
      const given = [nameOrPath].flat().join('/').split('/');
      const inner = given[0] === folder ? given.slice(1) : given;
      if (inner.length !== 1) {
        throw Error(
          `${JSON.stringify(given.join('/').slice(0, 80))} is not open here: give a plain name, which stands for a value under ${folder}`,
        );
      }
      return gate.admit([folder, ...inner]);
    },
    isHidden: gate.isHidden,
  });
harden(makeFolderGate);
