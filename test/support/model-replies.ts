/** What all servers of models can answer, well or badly, and how it is sent. */
import type { ServerResponse } from 'node:http';

export type ServerToolCall = {
  readonly id?: string;
  readonly name: string;
  /** A record, or a text that is sent as it is. */
  readonly args?: unknown;
};

/** One answer. Without anything: an empty one. */
export type ModelReply = {
  readonly thinking?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ServerToolCall[];
  /** The answer ends at the token limit. */
  readonly cutOff?: boolean;
  /** Other than 200: an error with `error` as its message. */
  readonly status?: number;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it is, instead of an answer. */
  readonly raw?: string;
  /** Answers in one JSON document although a stream was asked for. */
  readonly plain?: boolean;
  /** Never answers. */
  readonly hang?: boolean;
  /** Sends all but how it ends, and then nothing more. */
  readonly stall?: boolean;
  /** Sends the first half of the stream and drops the connection. */
  readonly drop?: boolean;
  /** Cuts the stream into pieces of so many bytes; whole otherwise. */
  readonly pieceBytes?: number;
  /** Answers when this is resolved. */
  readonly after?: Promise<unknown>;
};

/** The form of replies on one wire. */
export type ReplyForm<Reply> = {
  /** The content type of a stream. */
  readonly contentType: string;
  readonly toStream: (reply: Reply) => string;
  readonly toDocument: (reply: Reply) => string;
  /** The body of an error with these words. */
  readonly toError: (words: string, reply: Reply) => unknown;
};

/** A text in two pieces, as a stream brings it; none of an empty text. */
export const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(
    (part) => part !== '',
  );
};

/** Writes one piece and waits until it has left, so that pieces stay pieces. */
const writePiece = (
  outgoing: ServerResponse,
  piece: Uint8Array,
): Promise<void> =>
  new Promise((resolve) => {
    outgoing.write(piece, () => setImmediate(resolve));
  });

const sendStream = async (
  outgoing: ServerResponse,
  contentType: string,
  text: string,
  { headers, drop, stall, pieceBytes }: ModelReply,
): Promise<void> => {
  const bytes = Buffer.from(text, 'utf8');
  outgoing.writeHead(200, { 'content-type': contentType, ...headers });
  if (drop) {
    await writePiece(outgoing, bytes.subarray(0, bytes.length / 2));
    outgoing.destroy();
    return;
  }
  const size = pieceBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    await writePiece(outgoing, bytes.subarray(at, at + size));
  }
  if (!stall) outgoing.end();
};

/** @param stream - whether a stream was asked for */
export const sendReply = async <Reply extends ModelReply>(
  outgoing: ServerResponse,
  reply: Reply,
  { contentType, toStream, toDocument, toError }: ReplyForm<Reply>,
  stream: boolean,
): Promise<void> => {
  await reply.after;
  if (reply.hang) return;
  const status = reply.status ?? 200;
  const json = { 'content-type': 'application/json', ...reply.headers };
  if (reply.raw !== undefined) {
    outgoing.writeHead(status, json).end(reply.raw);
  } else if (status !== 200) {
    const error = toError(reply.error ?? `scripted ${status}`, reply);
    outgoing.writeHead(status, json).end(JSON.stringify(error));
  } else if (reply.plain || !stream) {
    outgoing.writeHead(200, json).end(toDocument(reply));
  } else {
    await sendStream(outgoing, contentType, toStream(reply), reply);
  }
};
