import { afterEach, expect, it } from 'vitest';

import { provisionAgent } from '../../setup/provision.ts';
import { caplet, type System, startSystem } from '../support/system.ts';

let system: System | undefined;
afterEach(async () => {
  await system?.stop();
  system = undefined;
});

it('leaves the old agent at work when new settings are refused', async () => {
  system = await startSystem([{ text: 'Here.' }]);
  const { hostPowers, host } = system;
  const refused = provisionAgent(
    hostPowers as unknown as Parameters<typeof provisionAgent>[0],
    {
      env: { LAL_HOST: 'practice:', LAL_PROVIDER: 'ollama' },
      fetch: () => Promise.reject(Error('no probing here')),
      caplet,
      randomId: () => 'provision-2',
    },
  );
  await expect(refused).rejects.toThrow('LAL_PROVIDER is ollama');
  await host.send('hob', 'Are you there?');
  expect(await host.receiveText()).toBe('Here.');
});
