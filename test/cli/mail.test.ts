import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { E } from '@endo/far';
import { followMail, listMail } from '../../cli/mail.ts';
import type { RemoteAgent } from '../../cli/remote.ts';
import { startTestDaemon } from '../support/daemon.ts';
import type { TestDaemon } from '../support/daemon.ts';

let daemon: TestDaemon;
let host: RemoteAgent;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const client = await daemon.client();
  host = client.host as RemoteAgent;
  for (const text of ['one', 'two', 'three']) {
    await E(host).send('SELF', [text], [], []);
  }
});

afterAll(() => daemon.stop());

describe('following a mailbox', () => {
  it('begins after what is known, where the daemon can', async () => {
    const [, second] = await listMail(host);
    const follower = await followMail(host, second?.number);
    expect(follower.replays).toBe(false);
    expect(await follower.next()).toMatchObject({ strings: ['three'] });
    const next = follower.next();
    await E(host).send('SELF', ['four'], [], []);
    expect(await next).toMatchObject({ strings: ['four'] });
    await follower.close();
  });

  it('begins at the beginning when nothing is known', async () => {
    const follower = await followMail(host);
    expect(follower.replays).toBe(true);
    expect(await follower.next()).toMatchObject({ strings: ['one'] });
    await follower.close();
  });
});
