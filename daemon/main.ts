/**
 * The daemon's entry. It only turns the compile cache on, which has to be on
 * before anything else is loaded, and loads the rest.
 */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

// What the daemon writes is its owner's alone.
process.umask(0o077);

// Only for what has to be set before anything is loaded: `run.ts` works the
// paths out, and says what is wrong with them.
const { HOB_STATE_PATH, XDG_STATE_HOME } = process.env;
const stateHome =
  XDG_STATE_HOME === undefined || XDG_STATE_HOME === ''
    ? join(homedir(), '.local', 'state')
    : XDG_STATE_HOME;
const statePath =
  HOB_STATE_PATH === undefined || HOB_STATE_PATH === ''
    ? join(stateHome, 'hob')
    : HOB_STATE_PATH;
enableCompileCache(join(statePath, 'cache'));
// SQLite reads it when the first database is opened. A copy of what is in there
// lies nowhere else, not for a moment.
process.env['SQLITE_TMPDIR'] = resolve(statePath);

await import('./run.ts');
