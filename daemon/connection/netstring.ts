import type { Writable } from 'node:stream';

/**
 * Netstring framing, `<length in bytes>:<bytes>,`, written by hand because the
 * stream packages are slower and leak listeners when a peer goes away.
 */
export type FrameReader = {
  /** Takes the next bytes. Throws an `Error` when they are no netstring. */
  readonly push: (chunk: Uint8Array) => void;
  /** Delivers no more frames, whatever is pushed. */
  readonly stop: () => void;
  /** Whether the bytes so far end within a frame. */
  readonly isWithinFrame: () => boolean;
};

const COLON = 0x3a;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;

export const makeFrameReader = ({
  maxFrameBytes,
  onFrame,
}: {
  readonly maxFrameBytes: number;
  readonly onFrame: (text: string) => void;
}): FrameReader => {
  let stopped = false;
  let length = 0;
  let digits = 0;
  // The bytes of the frame, once its length is known; one more for the comma.
  let body: Buffer | undefined;
  let filled = 0;

  const readLengthByte = (byte: number): void => {
    if (byte === COLON && digits > 0) {
      body = Buffer.allocUnsafe(length + 1);
      filled = 0;
      return;
    }
    if (byte < ZERO || byte > NINE || (digits > 0 && length === 0)) {
      throw Error(
        `A frame must begin with its length in digits and a colon, not with byte ${byte}`,
      );
    }
    digits += 1;
    length = length * 10 + (byte - ZERO);
    if (length > maxFrameBytes) {
      throw Error(
        `A frame of ${length} bytes or more is over the limit of ${maxFrameBytes}`,
      );
    }
  };

  const finishFrame = (whole: Buffer): void => {
    if (whole[length] !== COMMA) {
      throw Error(`A frame of ${length} bytes must be followed by a comma`);
    }
    const text = whole.toString('utf8', 0, length);
    body = undefined;
    length = 0;
    digits = 0;
    onFrame(text);
  };

  const push = (chunk: Uint8Array): void => {
    let at = 0;
    while (at < chunk.length && !stopped) {
      if (body === undefined) {
        readLengthByte(chunk[at] ?? 0);
        at += 1;
      } else {
        const take = Math.min(body.length - filled, chunk.length - at);
        body.set(chunk.subarray(at, at + take), filled);
        filled += take;
        at += take;
        if (filled === body.length) finishFrame(body);
      }
    }
  };

  return harden({
    push,
    stop: () => {
      stopped = true;
      body = undefined;
    },
    isWithinFrame: () => digits > 0,
  });
};
harden(makeFrameReader);

/** Writes one frame. The caller watches `writableLength`. */
export const writeFrame = (socket: Writable, text: string): void => {
  socket.write(`${Buffer.byteLength(text, 'utf8')}:${text},`, 'utf8');
};
harden(writeFrame);
