import { Worker } from 'node:worker_threads';

const INTERVAL_MS = 200;
/** Of the whole process: buffers are no part of V8's heap, and of its limit. */
const MAX_RESIDENT_BYTES = 640 * 1024 * 1024;

/**
 * Runs in a thread of its own, because code in an endless loop never lets the
 * main thread see that the channel was closed. Plain JavaScript, for `eval`.
 */
const watch = `
const { workerData: parent } = require('node:worker_threads');
setInterval(() => {
  if (
    process.ppid !== parent ||
    process.memoryUsage.rss() > ${MAX_RESIDENT_BYTES}
  ) process.kill(process.pid, 'SIGKILL');
}, ${INTERVAL_MS});
`;

/** Ends this process when its parent has died, whatever it is doing. */
export const watchParent = (): void => {
  const thread = new Worker(watch, {
    eval: true,
    env: {},
    // Read here: by the time the thread runs, the parent may be another.
    workerData: process.ppid,
    execArgv: [],
    name: 'parent watch',
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  });
  thread.unref();
};
harden(watchParent);
