import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  makeFrameReader,
  writeFrame,
} from '../../../daemon/connection/netstring.ts';

const frame = (text: string): Buffer => {
  const out = new PassThrough();
  writeFrame(out, text);
  return out.read() as Buffer;
};

const readAll = (chunks: readonly Uint8Array[], maxFrameBytes = 1_000_000) => {
  const frames: string[] = [];
  const reader = makeFrameReader({
    maxFrameBytes,
    onFrame: (text) => frames.push(text),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { frames, reader };
};

const split = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))];
  at.sort((a, b) => a - b);
  const edges = [0, ...at, bytes.length];
  return edges
    .slice(1)
    .map((edge, index) => bytes.subarray(edges[index], edge));
};

describe('netstring frames', () => {
  it('arrive whole and in order, however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.array(fc.nat()),
        (texts, cuts) => {
          const bytes = Buffer.concat(texts.map(frame));
          expect(readAll(split(bytes, cuts)).frames).toEqual(texts);
        },
      ),
    );
  });

  it('arrive when every byte comes alone', () => {
    const bytes = frame('größer, 🙂: "quoted"');
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(readAll(chunks).frames).toEqual(['größer, 🙂: "quoted"']);
  });

  it('say whether the bytes so far end within a frame', () => {
    const bytes = frame('abc');
    expect(readAll([bytes]).reader.isWithinFrame()).toBe(false);
    expect(readAll([bytes.subarray(0, 1)]).reader.isWithinFrame()).toBe(true);
    expect(readAll([bytes.subarray(0, 4)]).reader.isWithinFrame()).toBe(true);
  });

  it('are refused as soon as their length is over the limit', () => {
    expect(() => readAll([Buffer.from('11')], 10)).toThrow(
      'over the limit of 10',
    );
    expect(readAll([Buffer.from('10:0123456789,')], 10).frames).toEqual([
      '0123456789',
    ]);
  });

  it.each([
    ['GET / HTTP/1.1\r\n', 'must begin with its length in digits'],
    [':,', 'must begin with its length in digits'],
    ['-1:a,', 'must begin with its length in digits'],
    ['03:abc,', 'must begin with its length in digits'],
    ['3 :abc,', 'must begin with its length in digits'],
    ['3:abcd', 'must be followed by a comma'],
  ])('are refused when they are malformed: %j', (text, words) => {
    expect(() => readAll([Buffer.from(text)])).toThrow(words);
  });

  it('stop coming once the reader is stopped, also within one chunk', () => {
    const frames: string[] = [];
    const reader = makeFrameReader({
      maxFrameBytes: 100,
      onFrame: (text) => {
        frames.push(text);
        reader.stop();
      },
    });
    reader.push(Buffer.concat([frame('one'), frame('two')]));
    expect(frames).toEqual(['one']);
  });
});
