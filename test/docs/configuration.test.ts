import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { configurationPage } from '../../docs/configuration.ts';
import { VARIABLES } from '../../src/variables.ts';

it('docs/configuration.md is what "npm run docs" makes of the program', async () => {
  const page = new URL('../../docs/configuration.md', import.meta.url);
  expect(await readFile(page, 'utf8')).toBe(configurationPage());
});

it('every variable of an agent has a line of its own', () => {
  const lines = configurationPage().split('\n');
  for (const { name, meaning } of VARIABLES) {
    const line = lines.filter((each) => each.startsWith(`| \`${name}\``));
    expect(line.join('\n'), name).toContain(meaning);
  }
});
