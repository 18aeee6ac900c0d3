import { E } from '@endo/far';
import type { FormulaId } from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { pathFrom } from '../name/pet-name.ts';
import type { BlobStore } from '../store/blobs.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';

/** What a blob is read from: a far iterator of pieces in base64. */
export type Base64Reader = {
  readonly next: () => Promise<unknown>;
  readonly return?: (value?: unknown) => Promise<unknown>;
};

export type Blobs = {
  /** Reads to the end, then keeps all of it, or nothing. */
  readonly storeBlob: (
    host: FormulaId,
    reader: unknown,
    nameOrPath: NameOrPath | undefined,
  ) => Promise<unknown>;
};

export type BlobPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly blobs: BlobStore;
  readonly collector: Collector;
  readonly hubs: NameHubs;
  readonly ids: Ids;
  readonly incarnator: Incarnator;
  /** 128 hex digits. */
  readonly sha512: (bytes: Uint8Array) => string;
};

const MAX_MIB = 32;
const MAX_BYTES = MAX_MIB * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/u;

/** Every piece stands for whole bytes by itself. */
const bytesOf = (piece: unknown, index: number): Uint8Array => {
  if (typeof piece !== 'string') {
    throw Error(
      `storeBlob takes an iterator of strings in base64, and piece ${index} is of the type ${typeof piece}`,
    );
  }
  if (piece.length % 4 !== 0 || !BASE64.test(piece)) {
    throw Error(
      `storeBlob takes an iterator of strings in base64, and piece ${index} is none: it has only A–Z, a–z, 0–9, + and /, and is padded with = to a multiple of 4 characters`,
    );
  }
  return Buffer.from(piece, 'base64');
};

const readAll = async (reader: Base64Reader): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const step = (await E(reader).next()) as {
      readonly done?: unknown;
      readonly value?: unknown;
    };
    if (step.done === true) return Buffer.concat(pieces, size);
    const bytes = bytesOf(step.value, pieces.length);
    size += bytes.length;
    if (size > MAX_BYTES) {
      throw Error(
        `storeBlob takes up to ${MAX_MIB} MiB (${MAX_BYTES} bytes), and this has more. Nothing was stored; store it in parts`,
      );
    }
    pieces.push(bytes);
  }
};

/** Lets go of a reader that will not be read to its end. Never rejects. */
const abandon = async (reader: Base64Reader): Promise<void> => {
  try {
    await E(reader as Required<Base64Reader>).return();
  } catch (error) {
    // It may have no `return`, or be gone: whoever stores has the first error.
    if (!(error instanceof Error)) throw error;
  }
};

export const makeBlobs = (powers: BlobPowers): Blobs => {
  const { database, formulas, blobs, collector, hubs, ids, incarnator } =
    powers;

  const keep = (
    host: FormulaId,
    bytes: Uint8Array,
    nameOrPath: NameOrPath | undefined,
  ): FormulaId =>
    database.transact(() => {
      const id = ids.makeFormulaId();
      const sha512 = powers.sha512(bytes);
      const size = bytes.length;
      formulas.put(id, harden({ type: 'readable-blob', sha512, size }));
      blobs.put(id, bytes);
      if (nameOrPath === undefined) collector.hold(id);
      else hubs.bind(hubs.writablePlace(host, pathFrom(nameOrPath)), id);
      return id;
    });

  return harden({
    storeBlob: async (host, reader, nameOrPath) => {
      const source = reader as Base64Reader;
      let id;
      try {
        // Said before anything is read.
        if (nameOrPath !== undefined)
          hubs.writablePlace(host, pathFrom(nameOrPath));
        id = keep(host, await readAll(source), nameOrPath);
      } catch (error) {
        void abandon(source);
        throw error;
      }
      return incarnator.provide(id);
    },
  });
};
harden(makeBlobs);
