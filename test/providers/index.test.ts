import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(
  new URL('fixtures/loaded-sdks.ts', import.meta.url),
);

it.each([
  ['https://api.anthropic.com', 'anthropic', ['@anthropic-ai/sdk']],
  ['http://localhost:8080/v1', 'openai', ['openai']],
  ['http://localhost:11434', 'ollama', ['ollama']],
  ['practice:', 'practice', []],
])('for %s the SDK of %s is loaded and no other', async (host, name, sdks) => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT], {
    env: { ...process.env, LAL_HOST: host },
  });
  expect(JSON.parse(stdout)).toEqual({ provider: name, loaded: sdks });
});
