/**
 * The part that all loopback servers of models have in common: requests are
 * read, kept and handed to a script, whose replies are sent in the wire's form.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { sendReply } from './model-replies.ts';
import type { ModelReply, ReplyForm } from './model-replies.ts';

export type ServerRequest<Body> = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  /** Resolves when the exchange is over; false: the client went before it was. */
  readonly closed: Promise<boolean>;
};

/** Replies in order, the last one for all that follow; or a reply per request. */
export type Script<Body, Reply> =
  readonly Reply[] | ((request: ServerRequest<Body>, index: number) => Reply);

export type ModelServer<Body> = {
  /** `http://127.0.0.1:<port>`, and the base path of the wire. */
  readonly url: string;
  readonly requests: readonly ServerRequest<Body>[];
  /** Resolves with the next request that was not taken yet. */
  readonly nextRequest: () => Promise<ServerRequest<Body>>;
  readonly close: () => Promise<void>;
};

const readBody = async (incoming: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return JSON.parse(text === '' ? '{}' : text);
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

export type ModelServerOptions<Body, Reply> = {
  readonly script: Script<Body, Reply>;
  /** What follows the port in the URL: `/v1`, or nothing. */
  readonly basePath: string;
  readonly form: ReplyForm<Reply>;
  /** Whether the wire streams where a request does not say. */
  readonly streams: boolean;
};

/** @param options - `Body` is what requests are taken for, unchecked */
export const startModelServer = async <
  Body extends { readonly stream?: boolean },
  Reply extends ModelReply,
>({
  script,
  basePath,
  form,
  streams,
}: ModelServerOptions<Body, Reply>): Promise<ModelServer<Body>> => {
  const requests: ServerRequest<Body>[] = [];
  const arrivals = makeQueue<ServerRequest<Body>>();
  const replyTo = (request: ServerRequest<Body>, index: number): Reply => {
    if (typeof script === 'function') return script(request, index);
    // An empty script answers with an empty reply.
    return script[Math.min(index, script.length - 1)] ?? ({} as Reply);
  };

  const serve = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    const closed = new Promise<boolean>((resolve) => {
      outgoing.once('close', () => resolve(outgoing.writableFinished));
    });
    const body = (await readBody(incoming)) as Body;
    const request = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body,
      closed,
    };
    requests.push(request);
    arrivals.put(request);
    const reply = replyTo(request, requests.length - 1);
    await sendReply(outgoing, reply, form, body.stream ?? streams);
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
    url: `http://127.0.0.1:${port}${basePath}`,
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
