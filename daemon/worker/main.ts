/**
 * A worker's entry: `main.ts <kind> <label> <compile cache directory or "">`,
 * with the channel to the daemon as file descriptor 3. It only turns the
 * compile cache on, which has to be on before anything else is loaded.
 */
import { enableCompileCache } from 'node:module';

const cacheDirectory = process.argv[4] ?? '';
if (cacheDirectory !== '') enableCompileCache(cacheDirectory);

await import('./serve.ts');
