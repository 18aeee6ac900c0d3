import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Far } from '@endo/far';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../daemon/lifecycle/listener.ts';

const makeSocketPath = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'hob-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'hob.sock');
};

/** A server with a short queue, which takes nobody out of it in this turn. */
const startBusyServer = async (path: string) => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => {
    server.listen({ path, backlog: 1 }, resolve);
  });
  const clients: Socket[] = [];
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  const whenEnded = (): Promise<string> =>
    new Promise((resolve) => {
      const client = connect({ path });
      clients.push(client);
      client.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code ?? ''),
      );
      client.once('close', () => resolve('served'));
    });
  return { fill: () => Promise.all([1, 2, 3, 4].map(whenEnded)) };
};

describe('the listener', () => {
  it('leaves alone a socket at which somebody is too busy to answer', async () => {
    const socketPath = makeSocketPath();
    const { fill } = await startBusyServer(socketPath);
    // All of it before the server's next turn: its queue is full for the last.
    const outcomes = fill();
    const listening = listen({
      socketPath,
      bootstrap: Far('Bootstrap', {}),
      log: () => undefined,
    });
    await expect(listening).rejects.toThrow(
      `Cannot listen at ${socketPath}: another daemon, of another state directory, answers there`,
    );
    expect(existsSync(socketPath)).toBe(true);
    expect(await outcomes).toContain('EAGAIN');
  });
});
