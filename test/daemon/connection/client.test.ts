import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { E, Far } from '@endo/far';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectToDaemon } from '../../../daemon/connection/client.ts';
import { makeConnection } from '../../../daemon/connection/connection.ts';

const bootstrap = Far('Endo', { ping: () => 'pong' });

describe('a client of a daemon', () => {
  let directory: string;
  let socketPath: string;
  let server: Server | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hob-client-'));
    socketPath = join(directory, 'hob.sock');
  });
  afterEach(async () => {
    server?.close();
    server = undefined;
    await rm(directory, { recursive: true, force: true });
  });

  const listen = async (answers: boolean): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        if (answers) makeConnection({ name: 'client', socket, bootstrap });
        else socket.on('error', () => undefined).resume();
      });
      server.listen(socketPath, () => resolve());
    });

  it('gets the bootstrap object', async () => {
    await listen(true);
    const { endo, close, closed } = await connectToDaemon({
      socketPath,
      name: 'test',
    });
    expect(await E(endo as { ping: () => string }).ping()).toBe('pong');
    close();
    expect((await closed).message).toContain('closed on this side');
  });

  it('says how to start a daemon when there is none', async () => {
    await expect(connectToDaemon({ socketPath, name: 'test' })).rejects.toThrow(
      `Cannot reach the daemon at "${socketPath}". No daemon runs there; start it with \`hob start\`.`,
    );
  });

  it('says so when the path is no socket', async () => {
    await writeFile(socketPath, '');
    await expect(connectToDaemon({ socketPath, name: 'test' })).rejects.toThrow(
      /hob start|HOB_SOCK/u,
    );
  });

  it('says so when the path is too long', async () => {
    const long = join(directory, 'x'.repeat(120));
    await expect(
      connectToDaemon({ socketPath: long, name: 'test' }),
    ).rejects.toThrow('Set HOB_SOCK to a shorter path');
  });

  it('gives up on what listens but is no daemon', async () => {
    await listen(false);
    await expect(
      connectToDaemon({ socketPath, name: 'test', timeoutMs: 50 }),
    ).rejects.toThrow('did not answer as a daemon within 50 ms');
  });

  it('says so when it may not use the socket', async () => {
    await listen(true);
    await chmod(directory, 0o000);
    // A superuser may do all; anyone else is told.
    const attempt = connectToDaemon({ socketPath, name: 'test' }).then(
      ({ close }) => {
        close();
        return process.getuid?.() === 0
          ? 'You have no permission'
          : 'connected';
      },
      (error: unknown) => (error as Error).message,
    );
    expect(await attempt).toContain('You have no permission');
    await chmod(directory, 0o700);
  });
});
