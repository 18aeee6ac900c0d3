import { isPromise } from '@endo/promise-kit';
import { Remotable } from '@endo/pass-style';
import type {
  ImportExportTables,
  ImportExportTablesOptions,
} from '@endo/captp';

/**
 * What a connection keeps for its peer: exports until the peer drops them,
 * imports as long as somebody here holds them.
 *
 * CapTP's own tables forget a dropped export for good, but CapTP goes on using
 * its slot when the same value is sent again: the peer's calls to it then hang,
 * and a promise sent again never settles. Here a dropped export stays known
 * weakly, and `keepExport` brings it back when it is sent again.
 */
export type SlotTables = ImportExportTables & {
  /**
   * An outgoing message names this export. Returns whether it had been
   * dropped, so that the peer has to be told again what a promise came to.
   */
  readonly keepExport: (slot: string) => boolean;
  /** Exports that the peer has not dropped. */
  readonly countExports: () => number;
  readonly isKept: (slot: string) => boolean;
  /** Promises of the peer that are imported and not yet settled. */
  readonly countUnsettled: () => number;
  readonly isUnsettled: (slot: string) => boolean;
  /** The peer settled this promise. */
  readonly markSettled: (slot: string) => void;
};

type Held = { readonly slot: string; readonly ref: WeakRef<object> };

/** A map that holds its values weakly, and says when one was collected. */
const makeWeakSlots = (onCollected: (slot: string) => void) => {
  const refs = new Map<string, WeakRef<object>>();
  const registry = new FinalizationRegistry<Held>(({ slot, ref }) => {
    // The slot may have been bound anew since.
    if (refs.get(slot) !== ref) return;
    refs.delete(slot);
    onCollected(slot);
  });
  return {
    get: (slot: string): object | undefined => refs.get(slot)?.deref(),
    set: (slot: string, value: object): void => {
      const ref = new WeakRef(value);
      refs.set(slot, ref);
      registry.register(value, { slot, ref });
    },
    delete: (slot: string): boolean => refs.delete(slot),
    clear: (): void => refs.clear(),
  };
};

const nothing = (): void => undefined;

export const makeSlotTables = (
  { releaseSlot, makeRemoteKit }: ImportExportTablesOptions,
  /** Whether the peer, too, can send a dropped promise again. */
  peerRevives: () => boolean,
): SlotTables => {
  const kept = new Map<string, object>();
  const dropped = makeWeakSlots(nothing);
  const imported = makeWeakSlots(releaseSlot);
  const heldPromises = new Map<string, object>();
  const unsettled = new Set<string>();
  let lastObject = 0;
  let lastPromise = 0;

  const getExport = (slot: string): object | undefined =>
    kept.get(slot) ?? dropped.get(slot);

  const makeValueForSlot: ImportExportTables['makeValueForSlot'] = (
    slot,
    iface,
  ) => {
    const kind = slot.charAt(0);
    if (kind !== 'o' && kind !== 'p') {
      throw Error(`Unknown kind of reference ${JSON.stringify(slot)}`);
    }
    const { promise, settler } = makeRemoteKit(slot);
    if (kind === 'p') {
      unsettled.add(slot);
      return { val: promise, settler };
    }
    // `Remotable`, not `Far`: it makes a remote of a presence.
    const presence = Remotable(iface, undefined, settler.resolveWithPresence());
    return { val: presence, settler };
  };

  return harden({
    makeSlotForValue: (value: unknown) => {
      if (isPromise(value)) {
        lastPromise += 1;
        return `p+${lastPromise}`;
      }
      lastObject += 1;
      return `o+${lastObject}`;
    },
    makeValueForSlot,
    hasImport: (slot: string) => imported.get(slot) !== undefined,
    getImport: imported.get,
    markAsImported: (slot: string, value: object) => {
      imported.set(slot, value);
      // A peer that cannot tell us again what a promise came to tells us once.
      if (slot.startsWith('p') && !peerRevives()) heldPromises.set(slot, value);
    },
    hasExport: (slot: string) => getExport(slot) !== undefined,
    getExport,
    markAsExported: (slot: string, value: unknown) => {
      kept.set(slot, value as object);
    },
    deleteExport: (slot: string) => {
      const value = kept.get(slot);
      if (value === undefined) return;
      kept.delete(slot);
      dropped.set(slot, value);
    },
    didDisconnect: () => {
      imported.clear();
      heldPromises.clear();
      unsettled.clear();
    },
    keepExport: (slot: string) => {
      const value = dropped.get(slot);
      if (value === undefined) return false;
      dropped.delete(slot);
      kept.set(slot, value);
      return true;
    },
    countExports: () => kept.size,
    isKept: (slot: string) => kept.has(slot),
    countUnsettled: () => unsettled.size,
    isUnsettled: (slot: string) => unsettled.has(slot),
    markSettled: (slot: string) => {
      unsettled.delete(slot);
    },
  });
};
harden(makeSlotTables);
