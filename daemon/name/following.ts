import type { FormulaId } from '../formula/formula.ts';
import { idFromLocator, parseId } from '../formula/ids.ts';
import type { NameChange, NameEvents } from './name-events.ts';
import type { NameHubs } from './name-hubs.ts';
import type { NamePath } from './pet-name.ts';

export type ChangeSource = {
  readonly next: () => Promise<unknown>;
  readonly close: () => void;
};

export type NameFollowing = {
  /** Yields `{ add, value: { number, node } }` and `{ remove }`. */
  readonly followNames: (hub: FormulaId, path: NamePath) => ChangeSource;
  /** Yields `{ add: locator, names }` and `{ remove: locator, names }`. */
  readonly followLocator: (hub: FormulaId, locator: string) => ChangeSource;
};

const nameRecord = ({ name, id }: NameChange) =>
  harden(
    id === undefined ? { remove: name } : { add: name, value: parseId(id) },
  );

export const makeNameFollowing = (
  hubs: NameHubs,
  events: NameEvents,
): NameFollowing => {
  const follow = (hubId: FormulaId, path: NamePath) => {
    const hub = hubs.requireHub(hubId, path);
    const existing = hubs
      .entriesOf(hub)
      .map(({ name, id }) => ({ name, id, before: undefined }));
    return { hub, existing };
  };

  return harden({
    followNames: (hubId, path) => {
      const { hub, existing } = follow(hubId, path);
      const queue = events.follow(hub.directory, existing);
      return harden({
        next: async () => {
          const change = await queue.next();
          return change === undefined ? undefined : nameRecord(change);
        },
        close: queue.close,
      });
    },
    followLocator: (hubId, locator) => {
      const id = idFromLocator(locator);
      const { hub } = follow(hubId, []);
      const queue = events.follow(hub.directory, []);
      let names: readonly string[] = hubs.namesOf(hub, id);
      const next = async (): Promise<unknown> => {
        if (names.length > 0) {
          const existing = names;
          names = [];
          return harden({ add: locator, names: existing });
        }
        const change = await queue.next();
        if (change === undefined) return undefined;
        if (change.id === id)
          return harden({ add: locator, names: [change.name] });
        if (change.before === id)
          return harden({ remove: locator, names: [change.name] });
        return next();
      };
      return harden({ next, close: queue.close });
    },
  });
};
harden(makeNameFollowing);
