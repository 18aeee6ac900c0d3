import { E } from '@endo/far';
import type { FormulaId } from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { pathFrom } from '../name/pet-name.ts';
import { CHUNK_BYTES, type BlobStore } from '../store/blobs.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';
import { makeChunks } from './chunks.ts';

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

/** A hash of what was added. */
export type Hash = {
  readonly add: (bytes: Uint8Array) => void;
  readonly hex: () => string;
};

export type BlobPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly blobs: BlobStore;
  readonly collector: Collector;
  readonly hubs: NameHubs;
  readonly ids: Ids;
  readonly incarnator: Incarnator;
  readonly makeSha512: () => Hash;
};

const MAX_MIB = 32;
const MAX_BYTES = MAX_MIB * 1024 * 1024;
/** Each is a round trip, also one of no bytes. */
const MAX_PIECES = 512 * MAX_MIB;
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

type Contents = {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  readonly sha512: string;
};

/** Holds all of it, which is bounded, so that it is written in one transaction. */
const readAll = async (reader: Base64Reader, hash: Hash): Promise<Contents> => {
  const chunks = makeChunks(CHUNK_BYTES);
  let size = 0;
  for (let count = 0; ; count += 1) {
    const step = (await E(reader).next()) as {
      readonly done?: unknown;
      readonly value?: unknown;
    };
    if (step.done === true)
      return { chunks: chunks.end(), size, sha512: hash.hex() };
    if (count === MAX_PIECES) {
      throw Error(
        `storeBlob takes up to ${MAX_PIECES} pieces, and this has more. Nothing was stored; read it in larger pieces`,
      );
    }
    const bytes = bytesOf(step.value, count);
    size += bytes.length;
    if (size > MAX_BYTES) {
      throw Error(
        `storeBlob takes up to ${MAX_MIB} MiB (${MAX_BYTES} bytes), and this has more. Nothing was stored; store it in parts`,
      );
    }
    hash.add(bytes);
    chunks.add(bytes);
  }
};

/** Lets go of a reader that will not be read to its end. Never rejects. */
const abandon = async (reader: Base64Reader): Promise<void> => {
  await E(reader as Required<Base64Reader>)
    .return()
    // It may have no `return`, or be gone: whoever stores has the first error.
    .catch(() => undefined);
};

export const makeBlobs = (powers: BlobPowers): Blobs => {
  const { database, formulas, blobs, collector, hubs, ids, incarnator } =
    powers;

  const keep = (
    host: FormulaId,
    { chunks, size, sha512 }: Contents,
    nameOrPath: NameOrPath | undefined,
  ): FormulaId =>
    database.transact(() => {
      const id = ids.makeFormulaId();
      formulas.put(id, harden({ type: 'readable-blob', sha512, size }));
      blobs.put(id, chunks);
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
        const contents = await readAll(source, powers.makeSha512());
        id = keep(host, contents, nameOrPath);
      } catch (error) {
        void abandon(source);
        throw error;
      }
      return incarnator.provide(id);
    },
  });
};
harden(makeBlobs);
