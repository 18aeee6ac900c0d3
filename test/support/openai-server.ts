/**
 * A loopback server of the OpenAI wire that answers from a script, well or
 * badly: for the real SDK, also from a real worker process.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { toDocument, toEventStream } from './openai-replies.ts';
import type { Reply } from './openai-replies.ts';

export { badReplies } from './openai-replies.ts';
export type { Reply } from './openai-replies.ts';

/** The body of a request, as far as tests look at it. */
export type RequestBody = {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly [key: string]: unknown;
};

export type ServerRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: RequestBody;
  /** Resolves when the exchange is over; false: the client went before it was. */
  readonly closed: Promise<boolean>;
};

/** Replies in order, the last one for all that follow; or a reply per request. */
export type Script =
  readonly Reply[] | ((request: ServerRequest, index: number) => Reply);

export type OpenAiServer = {
  /** The base URL, with `/v1`: for LAL_HOST. */
  readonly url: string;
  readonly requests: readonly ServerRequest[];
  /** Resolves with the next request that was not taken yet. */
  readonly nextRequest: () => Promise<ServerRequest>;
  readonly close: () => Promise<void>;
};

const readBody = async (incoming: IncomingMessage): Promise<RequestBody> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return JSON.parse(text === '' ? '{}' : text) as RequestBody;
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
  reply: Reply,
): Promise<void> => {
  const bytes = Buffer.from(toEventStream(reply), 'utf8');
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    ...reply.headers,
  });
  if (reply.drop) {
    await writePiece(outgoing, bytes.subarray(0, bytes.length / 2));
    outgoing.destroy();
    return;
  }
  const size = reply.pieceBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    await writePiece(outgoing, bytes.subarray(at, at + size));
  }
  outgoing.end();
};

const sendReply = async (
  outgoing: ServerResponse,
  reply: Reply,
  body: RequestBody,
): Promise<void> => {
  await reply.after;
  if (reply.hang) return;
  const status = reply.status ?? 200;
  const json = { 'content-type': 'application/json', ...reply.headers };
  if (reply.raw !== undefined) {
    outgoing.writeHead(status, json).end(reply.raw);
  } else if (status !== 200) {
    const error = {
      message: reply.error ?? `scripted ${status}`,
      type: 'scripted',
    };
    outgoing.writeHead(status, json).end(JSON.stringify({ error }));
  } else if (reply.plain || body.stream !== true) {
    outgoing.writeHead(200, json).end(toDocument(reply));
  } else {
    await sendStream(outgoing, reply);
  }
};

const makeQueue = <T>() => {
  const waiting: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    put: (item: T) => {
      const taker = takers.shift();
      if (taker) taker(item);
      else waiting.push(item);
    },
    take: (): Promise<T> => {
      if (waiting.length > 0) return Promise.resolve(waiting.shift() as T);
      return new Promise((resolve) => takers.push(resolve));
    },
  };
};

export const startOpenAiServer = async (
  script: Script,
): Promise<OpenAiServer> => {
  const requests: ServerRequest[] = [];
  const arrivals = makeQueue<ServerRequest>();
  const replyTo = (request: ServerRequest, index: number): Reply => {
    if (typeof script === 'function') return script(request, index);
    return script[Math.min(index, script.length - 1)] ?? {};
  };

  const serve = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    const closed = new Promise<boolean>((resolve) => {
      outgoing.once('close', () => resolve(outgoing.writableFinished));
    });
    const body = await readBody(incoming);
    const request = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body,
      closed,
    };
    requests.push(request);
    arrivals.put(request);
    await sendReply(outgoing, replyTo(request, requests.length - 1), body);
  };

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      // A script that throws shows up in the client as this server's words.
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    nextRequest: arrivals.take,
    close: () =>
      new Promise((resolve, reject) => {
        if (!server.listening) {
          resolve();
          return;
        }
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
};
