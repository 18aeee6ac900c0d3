import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { E } from '@endo/far';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  startTestDaemon,
  type TestDaemon,
  type TestDaemonOptions,
} from '../support/daemon.ts';

const start = async (options?: TestDaemonOptions): Promise<TestDaemon> => {
  const daemon = await startTestDaemon(options);
  onTestFinished(() => daemon.stop());
  return daemon;
};
const makeState = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'hob-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

describe('the bootstrap', () => {
  it('says what it is', async () => {
    const daemon = await start();
    const { endo } = await daemon.client();
    await expect(E(endo).ping()).resolves.toMatchObject({
      pong: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      source: expect.stringMatching(/daemon[/\\]main\.ts$/) as string,
      pid: daemon.pid(),
      node: await E(endo).nodeId(),
    });
    await expect(E(endo).help('ping')).resolves.toContain('ping()');
    await expect(E(endo).leastAuthority()).resolves.toBeDefined();
    await expect(E(endo).gateway()).rejects.toThrow("Endo's full daemon");
  });

  it('can stop the daemon, which leaves nothing open', async () => {
    const daemon = await start();
    const { endo, closed } = await daemon.client();
    await E(endo).terminate();
    await expect(closed).resolves.toBeInstanceOf(Error);
    await daemon.whenGone();
    expect(existsSync(daemon.socketPath)).toBe(false);
    expect(existsSync(join(daemon.statePath, 'hob.sqlite-wal'))).toBe(false);
  });

  it("has a host that names Endo's full daemon for what is out of scope", async () => {
    const { host } = await (await start()).client();
    const outOfScope = [
      'invite',
      'accept',
      'getPeerInfo',
      'addPeerInfo',
      'makeBundle',
    ] as const;
    for (const method of outOfScope) {
      await expect(E(host)[method]('anything')).rejects.toThrow(
        new RegExp(`^${method} is out of scope here.*Endo's full daemon`),
      );
    }
    for (const method of ['define', 'form'] as const) {
      await expect(E(host)[method]('anything')).rejects.toThrow(
        `${method}: this version`,
      );
    }
  });
});

describe('a state directory', () => {
  it('has one daemon; a second one says so', async () => {
    const daemon = await start();
    await expect(
      startTestDaemon({ statePath: daemon.statePath }),
    ).rejects.toThrow(/The state directory .* is in use by another daemon/);
    const { endo } = await daemon.client();
    await expect(E(endo).ping()).resolves.toMatchObject({ pid: daemon.pid() });
  });

  it('that is open to others is closed', async () => {
    const statePath = join(makeState(), 'deep', 'state');
    mkdirSync(statePath, { recursive: true });
    chmodSync(statePath, 0o755);
    const daemon = await start({ statePath });
    await expect(daemon.client()).resolves.toBeDefined();
    expect(statSync(statePath).mode & 0o777).toBe(0o700);
  });

  it('of a newer Hob is refused in words', async () => {
    const statePath = makeState();
    const database = new DatabaseSync(join(statePath, 'hob.sqlite'));
    database.exec('PRAGMA user_version = 1000');
    database.close();
    await expect(startTestDaemon({ statePath })).rejects.toThrow(
      /version 1000, written by a newer Hob/,
    );
  });

  it('whose database is not one is refused with the reason, and left as it is', async () => {
    const statePath = makeState();
    const path = join(statePath, 'hob.sqlite');
    const text = 'no database, but somebody may need it. '.repeat(100);
    writeFileSync(path, text);
    await expect(startTestDaemon({ statePath })).rejects.toThrow(
      `Cannot open the state in ${path}: file is not a database. Nothing was changed. Restore it from a copy, or name another directory in HOB_STATE_PATH`,
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('that is a file is refused with the reason', async () => {
    const statePath = join(makeState(), 'state');
    writeFileSync(statePath, 'precious');
    await expect(startTestDaemon({ statePath })).rejects.toThrow(
      /Cannot open the state in .*state\/hob\.sqlite: .*(EEXIST|ENOTDIR).* name another directory in HOB_STATE_PATH/,
    );
    expect(readFileSync(statePath, 'utf8')).toBe('precious');
  });

  it.each(['soon', '0', '2147483648'])(
    'with the bad setting HOB_EVAL_TIMEOUT_MS=%s is refused in words',
    async (text) => {
      await expect(
        startTestDaemon({
          statePath: makeState(),
          env: { HOB_EVAL_TIMEOUT_MS: text },
        }),
      ).rejects.toThrow(
        `HOB_EVAL_TIMEOUT_MS is a positive whole number of milliseconds, and not "${text}"`,
      );
    },
  );
});

describe('the socket', () => {
  it('left by a killed daemon does not stand in the way', async () => {
    const daemon = await start();
    await daemon.kill9();
    expect(existsSync(daemon.socketPath)).toBe(true);
    await daemon.restart();
    await expect(daemon.client()).resolves.toBeDefined();
  });

  it('at which another answers is left alone', async () => {
    const socketPath = join(makeState(), 'other.sock');
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(socketPath, resolve);
    });
    onTestFinished(() => {
      server.close();
    });
    await expect(
      startTestDaemon({
        statePath: makeState(),
        env: { HOB_SOCK: socketPath },
      }),
    ).rejects.toThrow(
      /another daemon, of another state directory, answers there/,
    );
    expect(existsSync(socketPath)).toBe(true);
  });

  it('is never put in the place of a file', async () => {
    const path = join(makeState(), 'precious.txt');
    writeFileSync(path, 'precious');
    await expect(
      startTestDaemon({ statePath: makeState(), env: { HOB_SOCK: path } }),
    ).rejects.toThrow(/something that is not a socket/);
    expect(existsSync(path)).toBe(true);
  });
});

describe('several clients', () => {
  it('see the same objects and the same state, and one leaving harms no other', async () => {
    const daemon = await start();
    const [one, two] = [await daemon.client(), await daemon.client()];
    const iterator = (await E(two.host).followMessages()) as {
      next: () => Promise<unknown>;
    };
    const waiting = E(iterator).next();
    await E(one.host).storeValue('shared', 'thing');
    await expect(E(two.host).lookup('thing')).resolves.toBe('shared');
    one.close();
    await E(two.host).send('SELF', ['still here'], [], []);
    await expect(waiting).resolves.toMatchObject({
      value: { strings: ['still here'] },
    });
  });
});

describe('the log', () => {
  it('holds neither mail nor environment', async () => {
    const daemon = await start();
    const { host } = await daemon.client();
    await E(host).send('SELF', ['my-private-words'], [], []);
    await E(host).makeUnconfined(
      undefined,
      new URL('fixtures/counter.js', import.meta.url).href,
      {
        env: { TOKEN: 'my-private-token' },
      },
    );
    await expect(
      E(host).evaluate(undefined, 'throw Error("my-private-failure")', [], []),
    ).rejects.toThrow();
    await daemon.restart();
    expect(daemon.log()).toContain('ready at');
    expect(daemon.log()).not.toContain('my-private');
  });
});
