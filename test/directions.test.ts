import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let tree = '';

beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'directions-'));
});
afterEach(() => rm(tree, { recursive: true }));

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(join(tree, dirname(path)), { recursive: true });
  await writeFile(join(tree, path), text);
};

/** Runs the project's import rules on the tree; resolves to what they say. */
const check = (): Promise<string> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [
        join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
        '--config',
        join(root, '.dependency-cruiser.cjs'),
        '--no-progress',
        '.',
      ],
      { cwd: tree },
      (_error, out, err) => resolve(`${out}${err}`),
    );
  });

describe('the import rules', () => {
  it.each([
    ['src/model/a.ts', 'src/agent/b.ts', 'endo-and-model-are-the-floor'],
    ['src/tool/a.ts', 'src/guest-tools/b.ts', 'tool-transcript-proposal'],
    ['src/guest-tools/a.ts', 'src/agent/b.ts', 'guest-tools'],
    ['src/agent/a.ts', 'providers/b.ts', 'agent'],
    ['providers/a.ts', 'src/agent/b.ts', 'providers'],
    ['setup/a.ts', 'src/caplet.ts', 'setup'],
    ['daemon/a.ts', 'src/endo/b.ts', 'daemon-apart'],
    ['cli/a.ts', 'daemon/store/b.ts', 'clients-of-a-socket'],
    ['src/endo/a.ts', 'test/b.ts', 'nothing-imports-tests'],
  ])('refuse that %s imports %s', async (from, to, rule) => {
    await write('tsconfig.json', '{}');
    await write(to, 'export const b = 1;\n');
    const path = `${'../'.repeat(dirname(from).split('/').length)}${to}`;
    await write(from, `import { b } from '${path}';\nexport const a = b;\n`);
    expect(await check()).toContain(`error ${rule}`);
  });

  it('refuse that the agent imports a module of Node', async () => {
    await write('tsconfig.json', '{}');
    await write(
      'src/agent/a.ts',
      "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
    );
    expect(await check()).toContain('error agent');
  });

  it('refuse a circle', async () => {
    await write('tsconfig.json', '{}');
    await write(
      'cli/a.ts',
      "import { b } from './b.ts';\nexport const a = () => b;\n",
    );
    await write(
      'cli/b.ts',
      "import { a } from './a.ts';\nexport const b = () => a;\n",
    );
    expect(await check()).toContain('error no-circles');
  });
});
