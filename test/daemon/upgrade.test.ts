import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { E } from '@endo/far';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type TestDaemon,
} from '../support/daemon.ts';

type Mail = {
  readonly number: bigint;
  readonly type: string;
  readonly strings?: readonly string[];
  readonly description?: string;
  readonly replyTo?: string;
  readonly messageId: string;
};

const FROZEN = new URL('fixtures/state-version-1.sql', import.meta.url);
/** The token of the frozen state. No real one. */
const TOKEN = 'sk-frozen-example';

let statePath = '';
let daemon: TestDaemon | undefined;
let host: FarHost;

const databasePath = (): string => join(statePath, 'hob.sqlite');
const copyPath = (): string => `${databasePath()}.v1.bak`;

const openFile = <T>(path: string, use: (file: DatabaseSync) => T): T => {
  const file = new DatabaseSync(path);
  try {
    return use(file);
  } finally {
    file.close();
  }
};

const versionOf = (path: string): unknown =>
  openFile(
    path,
    (file) => file.prepare('PRAGMA user_version').get()?.['user_version'],
  );

const start = async (): Promise<TestDaemon> => {
  daemon = await startTestDaemon({ statePath });
  ({ host } = await daemon.client());
  return daemon;
};

const thaw = (): void =>
  openFile(databasePath(), (file) => file.exec(readFileSync(FROZEN, 'utf8')));

beforeEach(() => {
  statePath = mkdtempSync(join(tmpdir(), 'hob-'));
});
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
  rmSync(statePath, { recursive: true, force: true });
});

const guestAt = (name: string): Promise<FarGuest> =>
  E(host).lookup(name) as Promise<FarGuest>;

describe('a state of version 1', () => {
  beforeEach(thaw);

  it('opens with all its names and values', async () => {
    await start();
    await expect(E(host).list()).resolves.toEqual(
      expect.arrayContaining(
        'answer bench bob box controller-for-hob counter hob holder notes profile-for-bob profile-for-hob'.split(
          ' ',
        ),
      ),
    );
    await expect(E(host).lookup('answer')).resolves.toBe(42n);
    await expect(E(host).lookup('notes')).resolves.toEqual({
      text: "it's [not] a list",
      items: [1, 2.5, 0, NaN, undefined, null],
    });
    await expect(E(host).lookup(['box', 'letter'])).resolves.toBe('in the box');
    const counter = await E(host).lookup('counter');
    const { counter: held } = (await E(host).lookup('holder')) as {
      readonly counter: object;
    };
    expect(held).toBe(counter);
    await expect(
      E(counter as { next: () => Promise<number> }).next(),
    ).resolves.toBe(1);
    await expect(E(host).list('PINS')).resolves.toEqual(['controller-for-hob']);
    const bob = await guestAt('profile-for-bob');
    await expect(E(bob).identify('my-counter')).resolves.toBe(
      await E(host).identify('counter'),
    );
  });

  it('opens with all its mail, and its questions can still be answered', async () => {
    await start();
    const mail = (await E(host).listMessages()) as readonly Mail[];
    expect(mail.map(({ number, type }) => [number, type])).toEqual([
      [1n, 'package'],
      [2n, 'request'],
      [3n, 'request'],
      [4n, 'request'],
      [5n, 'package'],
    ]);
    expect(mail[0]?.strings).toEqual(['Thank you']);
    await E(host).adopt(5n, 'config', 'config-of-hob');
    await expect(E(host).lookup('config-of-hob')).resolves.toMatchObject({
      model: 'scripted',
    });
    const bob = await guestAt('profile-for-bob');
    const [first] = (await E(bob).listMessages()) as readonly Mail[];
    expect(mail[0]?.replyTo).toBe(first?.messageId);
    await expect(E(bob).lookup('number')).resolves.toBe(42n);
    await E(host).resolve(4n, 'notes');
    await expect(E(bob).lookup('open-thing')).resolves.toMatchObject({
      text: "it's [not] a list",
    });
    await expect(E(host).resolve(3n, 'answer')).rejects.toThrow(/rejected/u);
    await E(host).send('bob', ['On it goes'], [], []);
    const last = ((await E(host).listMessages()) as readonly Mail[]).at(-1);
    expect(last?.number).toBe(6n);
  });

  it('is kept beside the new one, as it was, and the log says where', async () => {
    const { log } = await start();
    expect(log()).toContain(`it is kept in ${copyPath()}`);
    expect(statSync(copyPath()).mode & 0o777).toBe(0o600);
    expect(versionOf(copyPath())).toBe(1);
    const names = openFile(copyPath(), (file) =>
      file.prepare('SELECT count(*) AS n FROM names').get(),
    );
    expect(names?.['n']).toBe(
      readFileSync(FROZEN, 'utf8').match(/^INSERT INTO names /gmu)?.length,
    );
    expect(readdirSync(statePath).filter((n) => n.includes('.tmp'))).toEqual(
      [],
    );
  });

  it('leaves the settings of its caplets, the token above all, out of the copy', async () => {
    await start();
    expect(readFileSync(copyPath()).includes(TOKEN)).toBe(false);
    const bodies = openFile(copyPath(), (file) =>
      file
        .prepare("SELECT body FROM formulas WHERE type = 'make-unconfined'")
        .all()
        .map(({ body }) => JSON.parse(body as string) as { env: unknown }),
    );
    expect(bodies.map(({ env }) => env)).toEqual([{}]);
  });

  it('is the new one from then on, and is not copied again', async () => {
    const running = await start();
    const { mtimeMs } = statSync(copyPath());
    await running.restart();
    expect(statSync(copyPath()).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(statePath).filter((n) => n.endsWith('.bak'))).toEqual([
      'hob.sqlite.v1.bak',
    ]);
  });

  it('is left as it is when no copy can be kept', async () => {
    mkdirSync(join(copyPath(), 'in-the-way'), { recursive: true });
    await expect(start()).rejects.toThrow(/no copy of it could be kept/u);
    expect(versionOf(databasePath())).toBe(1);
  });

  it('is copied after a start that was broken off before', async () => {
    const left = `${copyPath()}.tmp`;
    openFile(left, (file) => file.exec('CREATE TABLE half (x)'));
    await start();
    expect(versionOf(copyPath())).toBe(1);
  });
});

it('is refused in words when a newer Hob wrote it, and is not touched', async () => {
  thaw();
  openFile(databasePath(), (file) => file.exec('PRAGMA user_version = 9999'));
  await expect(start()).rejects.toThrow(
    /has version 9999, written by a newer Hob; this one knows up to \d+\. Use the newer Hob, or name another directory in HOB_STATE_PATH/u,
  );
  expect(versionOf(databasePath())).toBe(9999);
  expect(readdirSync(statePath).filter((n) => n.endsWith('.bak'))).toEqual([]);
});

it('makes no copy of a state that is new', async () => {
  await start();
  expect(readdirSync(statePath).filter((n) => n.includes('.bak'))).toEqual([]);
});

describe('settings that are thrown away', () => {
  const traces = (text: string): readonly string[] =>
    readdirSync(statePath).filter(
      (name) =>
        statSync(join(statePath, name)).isFile() &&
        readFileSync(join(statePath, name)).includes(text),
    );

  it('leave no trace, wherever SQLite has moved their rows', async () => {
    thaw();
    const running = await start();
    // Rows around it come and go, so that pages are balanced.
    for (let round = 0; round < 30; round += 1) {
      const name = `filler-${round % 7}`;
      await E(host).storeValue('x'.repeat(37 * round), name);
    }
    expect(traces(TOKEN)).not.toEqual([]);
    await E(host).remove('controller-for-hob');
    await E(host).remove('PINS', 'controller-for-hob');
    expect(traces(TOKEN)).toEqual([]);
    await expect(E(host).lookup('answer')).resolves.toBe(42n);
    expect(running.log()).not.toContain('could not be wiped');
  });

  it('from before this was so are wiped when the state is upgraded', async () => {
    thaw();
    openFile(databasePath(), (file) => {
      file.exec('PRAGMA secure_delete = OFF');
      file.exec("CREATE TABLE gone (x); INSERT INTO gone VALUES ('old-token')");
      file.exec('DROP TABLE gone');
    });
    expect(traces('old-token')).not.toEqual([]);
    await start();
    expect(traces('old-token')).toEqual([]);
  });

  it('are wiped at the next start when the daemon ended before it could', async () => {
    await (await start()).kill9();
    openFile(databasePath(), (file) => {
      file.exec('PRAGMA secure_delete = OFF');
      file.exec("INSERT OR REPLACE INTO meta VALUES ('scrub-due', 'yes')");
      file.exec("CREATE TABLE gone (x); INSERT INTO gone VALUES ('old-token')");
      file.exec('DROP TABLE gone');
    });
    expect(traces('old-token')).not.toEqual([]);
    await start();
    expect(traces('old-token')).toEqual([]);
  });
});

describe('a caplet that is made anew', () => {
  const caplet = new URL('fixtures/tells-env.ts', import.meta.url).href;
  type Caplet = { readonly env: () => Promise<unknown> };

  it('keeps what it is told to keep, and has nothing else of the old one', async () => {
    thaw();
    await start();
    const made = (await E(host).remakeUnconfined('controller-for-hob', caplet, {
      resultName: 'again',
      env: { LAL_HOST: 'practice:' },
      keep: ['LAL_AUTH_TOKEN'],
    })) as Caplet;
    await expect(E(made).env()).resolves.toEqual({
      LAL_HOST: 'practice:',
      LAL_AUTH_TOKEN: TOKEN,
    });
    await daemon?.restart();
    ({ host } = await (daemon as TestDaemon).client());
    const again = (await E(host).lookup('again')) as Caplet;
    await expect(E(again).env()).resolves.toMatchObject({
      LAL_AUTH_TOKEN: TOKEN,
    });
  });

  it('keeps what it is told to keep, though the environment says otherwise', async () => {
    thaw();
    await start();
    const made = (await E(host).remakeUnconfined('controller-for-hob', caplet, {
      env: { LAL_AUTH_TOKEN: 'another' },
      keep: ['LAL_AUTH_TOKEN'],
    })) as Caplet;
    await expect(E(made).env()).resolves.toEqual({ LAL_AUTH_TOKEN: TOKEN });
  });

  it('is refused when there is nothing to keep, or no caplet', async () => {
    thaw();
    await start();
    await expect(
      E(host).remakeUnconfined('controller-for-hob', caplet, {
        keep: ['TOKEN'],
      }),
    ).rejects.toThrow(
      '"controller-for-hob" has no variable "TOKEN" that could be kept. Give its value in env',
    );
    await expect(
      E(host).remakeUnconfined('answer', caplet, {}),
    ).rejects.toThrow('"answer" is not an unconfined caplet but');
    await expect(
      E(host).remakeUnconfined('controller-for-hob', 'https://x.test/a', {}),
    ).rejects.toThrow('file: URL');
  });
});
