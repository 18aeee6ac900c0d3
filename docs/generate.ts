/** Writes the pages that are made of the program: `npm run docs`. */
import '../daemon/connection/lockdown.ts';

import { writeFile } from 'node:fs/promises';

import { configurationPage } from './configuration.ts';

await writeFile(
  new URL('configuration.md', import.meta.url),
  configurationPage(),
);
