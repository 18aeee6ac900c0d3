import type { FormulaId } from './formula.ts';

const ID = /^([0-9a-f]{64}):([0-9a-f]{64})$/;
const LOCATOR = /^endo:\/\/([0-9a-f]{64})\/\?id=([0-9a-f]{64})&type=([a-z-]+)$/;

export type IdParts = { readonly number: string; readonly node: string };

/** Source of fresh ids. `randomHex(bytes)` gives two digits a byte. */
export type IdPowers = {
  readonly node: string;
  readonly randomHex: (bytes: number) => string;
};

export type Ids = {
  readonly node: string;
  readonly makeFormulaId: () => FormulaId;
  readonly makeMessageId: () => string;
};

export const makeIds = ({ node, randomHex }: IdPowers): Ids =>
  harden({
    node,
    makeFormulaId: () => `${randomHex(32)}:${node}`,
    makeMessageId: () => randomHex(32),
  });
harden(makeIds);

export const parseId = (id: string): IdParts => {
  const match = ID.exec(id);
  if (match === null) {
    throw Error(
      `${JSON.stringify(id.slice(0, 80))} is not a formula id: it has the form <64 hex digits>:<64 hex digits>`,
    );
  }
  const [, number = '', node = ''] = match;
  return harden({ number, node });
};
harden(parseId);

/** `endo://<node>/?id=<number>&type=<type of the formula>` */
export const formatLocator = (id: FormulaId, type: string): string => {
  const { number, node } = parseId(id);
  return `endo://${node}/?id=${number}&type=${type}`;
};
harden(formatLocator);

export const idFromLocator = (locator: string): FormulaId => {
  const match = LOCATOR.exec(locator);
  if (match === null) {
    throw Error(
      `${JSON.stringify(locator.slice(0, 200))} is not a locator: it has the form endo://<node>/?id=<number>&type=<type>`,
    );
  }
  const [, node = '', number = ''] = match;
  return `${number}:${node}`;
};
harden(idFromLocator);
