import type { Directory } from '../endo/guest.ts';
import { type AdoptedSchema, parseAdoptedSchema } from './adopted-schema.ts';

/** What is known of an adopted tool, for as long as it is in `tools/`. */
export type ToolRecord = {
  /** Its name in `tools/`. */
  readonly petName: string;
  /** Formula id of the capability that gave this schema. */
  readonly id: string;
  /** The function name that the model sees. */
  readonly functionName: string;
  /** Who sent it, as the model is told: `HOST`, `"bob"`. Unknown when absent. */
  readonly from?: string;
  /** Tools are offered in the order of these. */
  readonly order: number;
  readonly schema: AdoptedSchema;
};

const VERSION = 1;
const PREFIX = 'hob-tool-';
/** A name of Endo has at most 128 characters. */
export const LONGEST_TOOL_NAME = 128 - PREFIX.length;
harden(LONGEST_TOOL_NAME);

/**
 * The records of adopted tools, each a value of its own in the bookkeeping:
 * `hob-tool-<pet name>`. A tool is asked once, and known again after a restart.
 */
export type ToolRecords = {
  /** Those that are there and can be read. */
  readonly load: (names: readonly string[]) => Promise<readonly ToolRecord[]>;
  readonly put: (record: ToolRecord) => Promise<void>;
  /** Does nothing when there is none. */
  readonly remove: (petName: string) => Promise<void>;
};

const nameOf = (petName: string): readonly [string] => [`${PREFIX}${petName}`];

/** `undefined` for what another version wrote, or nobody. */
const parseRecord = (petName: string, raw: unknown): ToolRecord | undefined => {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const { version, id, functionName, from, order, schema } = raw as {
    readonly [key: string]: unknown;
  };
  if (version !== VERSION || typeof schema !== 'string') return undefined;
  if (typeof id !== 'string' || typeof functionName !== 'string')
    return undefined;
  if (typeof order !== 'number' || !Number.isSafeInteger(order))
    return undefined;
  const described: unknown = JSON.parse(schema);
  return harden({
    petName,
    id,
    functionName,
    order,
    ...(typeof from === 'string' ? { from } : {}),
    schema: parseAdoptedSchema({ type: 'function', function: described }),
  });
};

export const makeToolRecords = (
  guest: Pick<Directory, 'has' | 'lookup' | 'remove' | 'storeValue'>,
): ToolRecords =>
  harden({
    load: async (names: readonly string[]) => {
      const petNames = names
        .filter((name) => name.startsWith(PREFIX))
        .map((name) => name.slice(PREFIX.length));
      const loaded = await Promise.all(
        petNames.map((petName) =>
          guest
            .lookup(nameOf(petName))
            .then((raw) => parseRecord(petName, raw))
            // What cannot be read is as good as absent: the tool is asked again.
            .catch(() => undefined),
        ),
      );
      return loaded.filter((record) => record !== undefined);
    },
    put: async ({ petName, id, functionName, from, order, schema }) => {
      const record = {
        version: VERSION,
        id,
        functionName,
        order,
        ...(from === undefined ? {} : { from }),
        schema: JSON.stringify(schema),
      };
      await guest.storeValue(harden(record), nameOf(petName));
    },
    remove: async (petName: string) => {
      const path = nameOf(petName);
      if (await guest.has(path)) await guest.remove(path);
    },
  });
harden(makeToolRecords);
