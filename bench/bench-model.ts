/**
 * A model that answers at once, over loopback, and looks at what it was sent
 * after it has answered: nothing of that is in the time of a turn.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { openAiForm, type Reply } from '../test/support/openai-replies.ts';

/** One request of a turn. */
export type Asked = {
  /** The whole request. */
  readonly bytes: number;
  /** Messages of the request before, in the same conversation. */
  readonly bytesBefore: number;
  /** Of those, how many this one begins with. */
  readonly bytesRepeated: number;
};

export type BenchModel = {
  readonly url: string;
  /** Takes what was asked since the last time. */
  readonly takeAsked: () => readonly Asked[];
  /** How often a summary was asked for. */
  readonly summaries: () => number;
  /** What follows is another conversation. */
  readonly begin: () => void;
  /** Whether each turn has two tool calls first. */
  readonly useTools: (wanted: boolean) => void;
  /** The next answer that ends a turn is never given; resolves when it is asked for. */
  readonly hangOnce: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const ANSWER =
  'The shelf holds tea, flour and salt; nothing is missing from the list that you gave me. Tell me when you want to add something to it.';

const CALLS: Reply = {
  toolCalls: [
    { id: 'call-1', name: 'list', args: {} },
    { id: 'call-2', name: 'lookup', args: { petNameOrPath: 'HOST' } },
  ],
};

const MESSAGES = '"messages":[';
const TOOLS = '],"tools":[';

/** Its conversation, and what stands before that in every provider's prompt. */
const splitRequest = (body: Buffer) => {
  const from = body.indexOf(MESSAGES) + MESSAGES.length;
  const to = body.lastIndexOf(TOOLS);
  return {
    messages: body.subarray(from, Math.max(from, to)),
    tools: body.subarray(to),
    hasTools: to >= 0,
  };
};

const sharedBytes = (before: Buffer, after: Buffer): number => {
  if (after.subarray(0, before.length).equals(before)) return before.length;
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return at;
};

const BYTES_A_TOKEN = 4;

export const startBenchModel = async (): Promise<BenchModel> => {
  let asked: Asked[] = [];
  let summaries = 0;
  let withTools = true;
  let before: ReturnType<typeof splitRequest> | undefined;
  let onHang: (() => void) | undefined;

  const examine = (body: Buffer): void => {
    const request = splitRequest(body);
    if (!request.hasTools) return;
    const bytesBefore = before?.messages.length ?? 0;
    const bytesRepeated =
      before?.tools.equals(request.tools) === true
        ? sharedBytes(before.messages, request.messages)
        : 0;
    asked.push({ bytes: body.length, bytesBefore, bytesRepeated });
    before = request;
  };

  const replyTo = (body: Buffer): Reply | undefined => {
    const { messages, hasTools } = splitRequest(body);
    if (!hasTools) {
      summaries += 1;
      return { text: `What was said: ${ANSWER}` };
    }
    const last = messages.subarray(messages.lastIndexOf('{"role":"'));
    const isFirst = !last.subarray(0, 20).includes('"tool"');
    if (withTools && isFirst) return CALLS;
    if (onHang === undefined) return { text: ANSWER };
    onHang();
    onHang = undefined;
    return undefined;
  };

  const answer = (body: Buffer, outgoing: ServerResponse): void => {
    const reply = replyTo(body);
    if (reply === undefined) return;
    const promptTokens = Math.ceil(body.length / BYTES_A_TOKEN);
    const usage = { prompt_tokens: promptTokens, completion_tokens: 40 };
    outgoing.writeHead(200, { 'content-type': openAiForm.contentType });
    outgoing.end(openAiForm.toStream({ ...reply, usage }));
    setImmediate(examine, body);
  };

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => answer(Buffer.concat(chunks), outgoing));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    takeAsked: () => {
      const taken = asked;
      asked = [];
      return taken;
    },
    summaries: () => summaries,
    begin: () => {
      before = undefined;
    },
    useTools: (wanted) => {
      withTools = wanted;
    },
    hangOnce: () =>
      new Promise((resolve) => {
        onHang = resolve;
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
harden(startBenchModel);
