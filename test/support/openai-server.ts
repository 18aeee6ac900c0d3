/**
 * A loopback server of the OpenAI wire that answers from a script, well or
 * badly: for the real SDK, also from a real worker process.
 */
import type { ServerResponse } from 'node:http';

import { sendStream, startModelServer } from './model-server.ts';
import type {
  ModelServer,
  Script as ScriptOf,
  ServerRequest as RequestOf,
} from './model-server.ts';
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

export type ServerRequest = RequestOf<RequestBody>;
export type Script = ScriptOf<RequestBody, Reply>;
/** `url` is the base URL, with `/v1`: for LAL_HOST. */
export type OpenAiServer = ModelServer<RequestBody>;

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
  } else if (reply.stall) {
    outgoing
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(toEventStream(reply));
  } else {
    await sendStream(
      outgoing,
      'text/event-stream',
      toEventStream(reply),
      reply,
    );
  }
};

export const startOpenAiServer = (script: Script): Promise<OpenAiServer> =>
  startModelServer({ script, basePath: '/v1', sendReply });
