import { expect, it } from 'vitest';

import { ask, rejection, serveOn } from '../support/chat-model.ts';
import type { Fetch } from '../support/chat-model.ts';
import type { ModelReply } from '../support/model-replies.ts';
import type { ContractWire } from './contract-wire.ts';

const reply: ModelReply = {
  thinking: 'hm',
  text: 'Ça va – 👋',
  toolCalls: [
    { id: 'a', name: 'list', args: { petNamePath: ['é'] } },
    { id: 'b', name: 'has', args: {} },
  ],
};

/** A response that comes in these parts. */
const respondWith = (parts: readonly Uint8Array[], contentType: string) =>
  Promise.resolve(
    new Response(ReadableStream.from(parts.filter((part) => part.length > 0)), {
      headers: { 'content-type': contentType },
    }),
  );

/** A `fetch` that resolves `isRead` when something of an answer was read. */
const makeWatchedFetch = () => {
  let reading: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => (reading = resolve));
  const fetch: Fetch = async (url, init) => {
    const { body, headers } = await globalThis.fetch(url, init);
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk);
        reading();
      },
    });
    return new Response(body?.pipeThrough(watch) ?? null, { headers });
  };
  return { isRead, fetch };
};

/** What a model makes of an answer that comes bit by bit. */
export const itReadsStreams = (wire: ContractWire): void => {
  const { contentType, toStream } = wire.form;

  it('gives the same answer wherever its bytes are split', async () => {
    const bytes = new TextEncoder().encode(toStream(reply));
    let at = 0;
    const fetch: Fetch = () =>
      respondWith([bytes.slice(0, at), bytes.slice(at)], contentType);
    const model = wire.modelAt('http://127.0.0.1:1', { fetch });
    const whole = await model.chat(ask());
    expect(whole.message.toolCalls).toHaveLength(2);
    expect(whole.message.content).toBe('Ça va – 👋');
    for (at = 1; at < bytes.length; at += 1)
      expect(await model.chat(ask())).toEqual(whole);
  });

  it('gives the same answer byte by byte from a server', async () => {
    const { model } = await serveOn(wire, [reply, { ...reply, pieceBytes: 1 }]);
    const whole = await model.chat(ask());
    expect(await model.chat(ask())).toEqual(whole);
  });

  it('is read also under the wrong content type', async () => {
    const { model } = await serveOn(wire, [
      { raw: toStream({ text: 'still heard' }) },
    ]);
    expect((await model.chat(ask())).message.content).toBe('still heard');
  });
};

/** How a call ends whose signal is aborted. */
export const itEndsWhenAborted = (wire: ContractWire): void => {
  it('ends a call at once, and the server sees the socket close', async () => {
    const { server, model } = await serveOn(wire, [{ hang: true }]);
    const controller = new AbortController();
    const failed = rejection(model.chat(ask(undefined, controller.signal)));
    const { closed } = await server.nextRequest();
    controller.abort();
    expect((await failed).kind).toBe('cancelled');
    expect(await closed).toBe(false);
  });

  it('ends a call in the middle of its stream, and the server sees the socket close', async () => {
    const { server } = await serveOn(wire, [{ text: 'half', stall: true }]);
    const controller = new AbortController();
    const { isRead, fetch } = makeWatchedFetch();
    const model = wire.modelAt(server.url, { fetch });
    const failed = rejection(model.chat(ask(undefined, controller.signal)));
    const { closed } = await server.nextRequest();
    await isRead;
    controller.abort();
    expect((await failed).kind).toBe('cancelled');
    expect(await closed).toBe(false);
  });

  it('sends nothing when it was aborted before', async () => {
    const { server, model } = await serveOn(wire, [{ text: 'x' }]);
    const error = await rejection(
      model.chat(ask(undefined, AbortSignal.abort())),
    );
    expect(error.kind).toBe('cancelled');
    expect(server.requests).toEqual([]);
  });
};
