import { makeMarshal } from '@endo/marshal';
import { getInterfaceOf } from '@endo/far';
import { digest } from './fake-names.ts';

const NODE = digest('the node of the fake world');

export type FakeFormulas = {
  /** A fresh id, for a value that is known only later or never. */
  readonly makeId: () => string;
  /** Gives a value an id; a remotable that has one keeps it. */
  readonly provide: (value: unknown, id?: string) => string;
  readonly valueOf: (id: string) => unknown;
  /** `worker`, `handle`; the fake tells nothing else apart. */
  readonly typeOf: (id: string) => string;
  readonly idOf: (value: unknown) => string | undefined;
  /**
   * What `storeValue` makes of a value: a hardened copy, with the same
   * remotables.
   *
   * @throws Error on what no daemon could keep: promises, functions, Dates,
   *   and remotables that are no formula
   */
  readonly copyOf: (value: unknown) => unknown;
};

/** Ids and values of the fake world. */
export const makeFakeFormulas = (): FakeFormulas => {
  const values = new Map<string, unknown>();
  const ids = new WeakMap<object, string>();
  let count = 0;

  const makeId = (): string => {
    count += 1;
    return `${digest(`formula ${count}`)}:${NODE}`;
  };
  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) ||
    typeof value === 'function';
  const idOf = (value: unknown): string | undefined =>
    isObject(value) ? ids.get(value) : undefined;

  const provide = (value: unknown, id = idOf(value) ?? makeId()): string => {
    values.set(id, value);
    if (isObject(value)) ids.set(value, id);
    return id;
  };

  const valueOf = (id: string): unknown => {
    if (!values.has(id)) throw Error('No value for this formula');
    return values.get(id);
  };

  const typeOf = (id: string): string => {
    const value = values.get(id);
    const kind = isObject(value) ? getInterfaceOf(value) : undefined;
    if (kind === 'Alleged: EndoWorker') return 'worker';
    return kind === 'Alleged: EndoHandle' ? 'handle' : 'value';
  };

  const marshal = makeMarshal<string>(
    (value: unknown) => {
      const id = idOf(value);
      if (id === undefined) {
        throw Error('No corresponding formula for a reference in the value');
      }
      return id;
    },
    (id: string) => valueOf(id),
    { serializeBodyFormat: 'smallcaps', marshalSaveError: () => undefined },
  );
  const copyOf = (value: unknown): unknown =>
    marshal.fromCapData(marshal.toCapData(harden(value) as never));

  return harden({ makeId, provide, valueOf, typeOf, idOf, copyOf });
};
