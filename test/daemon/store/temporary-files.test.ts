import { mkdirSync, mkdtempSync, rmSync, statSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { E } from '@endo/far';
import { Far } from '@endo/pass-style';
import { expect, it, onTestFinished } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';

/** Counts what SQLite puts into a directory for a moment. */
const watchFor = (directory: string) => {
  const seen = new Set<string>();
  const watcher = watch(directory, (_, name) => {
    if (name?.startsWith('etilqs_') === true) seen.add(name);
  });
  onTestFinished(() => watcher.close());
  return seen;
};

/** More than SQLite would keep in memory. */
const makeReader = () => {
  const piece = Buffer.alloc(3 * 1024 * 1024, 'abc').toString('base64');
  let left = 2;
  return Far('Reader', {
    next: () => {
      left -= 1;
      return Promise.resolve(
        harden(
          left < 0
            ? { done: true, value: undefined }
            : { done: false, value: piece },
        ),
      );
    },
  });
};

it('of the daemon lie in the state directory, which is private, and nowhere else', async () => {
  const root = mkdtempSync(join(tmpdir(), 'hob-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [statePath, elsewhere] = [join(root, 'state'), join(root, 'elsewhere')];
  mkdirSync(elsewhere);
  const daemon = await startTestDaemon({
    statePath,
    env: { TMPDIR: elsewhere },
  });
  onTestFinished(() => daemon.stop());
  expect(statSync(statePath).mode & 0o777).toBe(0o700);
  const [inside, outside] = [watchFor(statePath), watchFor(elsewhere)];
  const { host } = await daemon.client();
  await E(host).storeBlob(makeReader(), 'ballast');
  const caplet = new URL('../fixtures/tells-env.ts', import.meta.url).href;
  const make = (token: string): Promise<unknown> =>
    E(host).makeUnconfined(undefined, caplet, {
      resultName: 'caplet',
      env: { LAL_AUTH_TOKEN: token },
    });
  await make('old');
  expect(inside.size).toBe(0);
  await make('new');
  // What was seen is told in a turn of its own.
  await daemon.stop();
  expect(inside.size).toBe(1);
  expect(outside.size).toBe(0);
  expect(daemon.log()).not.toContain('could not be wiped');
});
