import { duplexPair, type Duplex } from 'node:stream';
import { E, Far } from '@endo/far';
import { describe, expect, it } from 'vitest';
import {
  makeConnection,
  type ConnectionOptions,
} from '../../../daemon/connection/connection.ts';

type Server = {
  readonly greet: (name: string) => Promise<string>;
  readonly wait: () => Promise<never>;
  readonly long: (length: number) => Promise<string>;
};

const service = Far('Server', {
  greet: (name: string) => `hello ${name}`,
  wait: () => new Promise(() => undefined),
  long: (length: number) => 'x'.repeat(length),
});

const makePair = async (options: Partial<ConnectionOptions> = {}) => {
  const [near, distant] = duplexPair();
  const server = makeConnection({
    name: 'client ada',
    socket: distant,
    bootstrap: service,
    ...options,
  });
  const client = makeConnection({ name: 'daemon', socket: near });
  const far = (await client.getBootstrap()) as Server;
  return { near, distant, server, client, far };
};

/** A raw peer: bytes in, bytes out. */
const makeRaw = (options: Partial<ConnectionOptions> = {}) => {
  const [socket, raw]: [Duplex, Duplex] = duplexPair();
  const connection = makeConnection({
    name: 'raw',
    socket,
    bootstrap: service,
    ...options,
  });
  return { raw, connection };
};

describe('a connection', () => {
  it('carries calls', async () => {
    const { far, client } = await makePair();
    expect(await E(far).greet('Ada')).toBe('hello Ada');
    client.close();
  });

  it('tells the other side why it was closed, in words', async () => {
    const { far, server, client } = await makePair();
    const pending = E(far).wait();
    server.close(Error('the daemon stops'));

    await expect(pending).rejects.toThrow(
      'The connection "daemon" was ended by the other side: the daemon stops',
    );
    expect((await client.closed).message).toContain('the daemon stops');
    expect((await server.closed).message).toBe('the daemon stops');
  });

  it('rejects what is pending when the other side goes in the middle of a call', async () => {
    const { far, distant, client } = await makePair();
    const pending = E(far).wait();
    distant.destroy();

    await expect(pending).rejects.toThrow('the other side went away');
    await expect(E(far).greet('Ada')).rejects.toThrow('went away');
    expect((await client.closed).message).toContain('"daemon" is over');
  });

  it('says when the other side went in the middle of a message', async () => {
    const { raw, connection } = makeRaw();
    raw.write('100:{"type"');
    raw.end();
    expect((await connection.closed).message).toContain(
      'in the middle of a message',
    );
  });

  it('gives the reason of who knows better than the socket', async () => {
    const { raw, connection } = makeRaw({
      explainEnd: async () => Promise.resolve(Error('worker exited (code 3)')),
    });
    raw.end();
    expect((await connection.closed).message).toBe('worker exited (code 3)');
  });

  it.each([
    ['GET / HTTP/1.1\r\n\r\n', 'must begin with its length'],
    ['99999999999:', 'over the limit'],
    ['5:hello,', 'must hold JSON'],
    ['2:{},', 'must hold a CapTP message'],
  ])('is ended with a reason when it is sent %j', async (bytes, words) => {
    const { raw, connection } = makeRaw();
    const heard = new Promise((resolve) => raw.once('data', resolve));
    raw.write(bytes);

    expect((await connection.closed).message).toContain(words);
    expect(String(await heard)).toContain('CTP_DISCONNECT');
  });

  it('is ended when the other side asks for much and reads nothing', async () => {
    const { raw, connection } = makeRaw({ maxBufferedBytes: 100_000 });
    const call = (question: number): string => {
      const text = JSON.stringify({
        type: 'CTP_CALL',
        questionID: `q-${question}`,
        target: 'o-1',
        method: { body: '["long",[30000]]', slots: [] },
      });
      return `${text.length}:${text},`;
    };
    const ask = JSON.stringify({ type: 'CTP_BOOTSTRAP', questionID: 'q-0' });
    raw.write(`${ask.length}:${ask},`);
    await new Promise((resolve) => raw.once('data', resolve));
    raw.pause();
    for (let question = 1; question <= 20; question += 1) {
      raw.write(call(question));
    }
    expect((await connection.closed).message).toContain('does not read');
  });

  it('can be closed twice, and resolves with the first reason', async () => {
    const { client } = await makePair();
    client.close(Error('first'));
    client.close(Error('second'));
    expect((await client.closed).message).toBe('first');
  });
});
