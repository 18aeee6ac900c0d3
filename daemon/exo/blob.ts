import { defineExoClass } from '@endo/exo';
import type { BlobFormula, FormulaId } from '../formula/formula.ts';
import { CHUNK_BYTES, type BlobStore } from '../store/blobs.ts';
import { BlobI } from './guards.ts';
import { helpText } from './help.ts';
import { makeFarIterator } from './iterators.ts';

/** As much text as an answer over the socket always has room for. */
const MAX_TEXT_MIB = 2;
const MAX_TEXT_BYTES = MAX_TEXT_MIB * 1024 * 1024;

const blobHelp = harden({
  sha512: 'sha512(): the SHA-512 of the bytes, in hex.',
  streamBase64:
    'streamBase64(): an iterator of the bytes, each piece a string in base64.',
  text: `text(): the bytes as UTF-8 text, up to ${MAX_TEXT_MIB} MiB.`,
  json: `json(): the value that the text is in JSON, up to ${MAX_TEXT_MIB} MiB.`,
  help: 'help(method?): these texts.',
});

const chunkCount = (size: number): number => Math.ceil(size / CHUNK_BYTES);

type State = { readonly id: FormulaId; readonly formula: BlobFormula };

export const defineBlob = (blobs: BlobStore) => {
  const textOf = ({ id, formula: { size } }: State): string => {
    if (size > MAX_TEXT_BYTES) {
      throw Error(
        `The blob has ${size} bytes, and only up to ${MAX_TEXT_BYTES} can be had as one text; read it with streamBase64`,
      );
    }
    const chunks = Array.from({ length: chunkCount(size) }, (_, number) =>
      blobs.read(id, number),
    );
    return Buffer.concat(chunks, size).toString('utf8');
  };

  return defineExoClass(
    'EndoBlob',
    BlobI,
    (id: FormulaId, formula: BlobFormula): State => ({ id, formula }),
    {
      sha512() {
        return this.state.formula.sha512;
      },
      streamBase64() {
        const { id, formula } = this.state;
        const count = chunkCount(formula.size);
        let number = 0;
        return makeFarIterator(
          harden({
            next: () => {
              if (number >= count) return Promise.resolve(undefined);
              const bytes = blobs.read(id, number);
              number += 1;
              return Promise.resolve(Buffer.from(bytes).toString('base64'));
            },
            close: () => {
              number = count;
            },
          }),
        );
      },
      text() {
        return textOf(this.state);
      },
      json() {
        const text = textOf(this.state);
        try {
          return harden(JSON.parse(text) as unknown);
        } catch (error) {
          throw Error(`The blob is not JSON: ${(error as Error).message}`, {
            cause: error,
          });
        }
      },
      help(method?: string) {
        return helpText('Bytes that can be read.', blobHelp, method);
      },
    },
  );
};
harden(defineBlob);
