import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { E } from '@endo/far';
import { expect, it } from 'vitest';

import { startTestDaemon } from '../support/daemon.ts';
import { makePerson } from '../support/person.ts';
import type { HostPowers } from '../support/system.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

it('answers as a caplet built to plain JavaScript', async () => {
  await run('npm', ['run', '-s', 'build'], { cwd: root });
  const daemon = await startTestDaemon();
  try {
    const client = await daemon.client();
    const powers = client.host as unknown as HostPowers;
    await E(powers).provideGuest('hob', { agentName: 'profile-for-hob' });
    await E(powers).makeUnconfined(
      'MAIN',
      new URL('../../dist/src/caplet.js', import.meta.url).href,
      {
        powersName: 'profile-for-hob',
        resultName: 'controller-for-hob',
        env: { LAL_HOST: 'practice:' },
      },
    );
    const host = await makePerson(client.host);
    await host.send('hob', 'what is 6 * 7?');
    expect(await host.receiveText()).toBe('practice model: 6 * 7 = 42');
  } finally {
    await daemon.stop();
  }
});
