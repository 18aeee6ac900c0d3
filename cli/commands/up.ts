import { CliError, EXIT } from '../cli-error.ts';
import { describeDaemon, otherDaemonNote, REPLACE } from '../daemon-origin.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import { runScript } from '../run-script.ts';
import { withPatience, withSession } from '../session.ts';
import {
  ensureDaemon,
  replaceDaemon,
  stopDaemon,
  type DaemonStart,
} from '../start-daemon.ts';
import { runTalk } from '../talk/talk.ts';
import { jsonDocument } from '../values.ts';

const SETUP_PATIENCE_MS = 60_000;

/** Makes or finds the agent; what the script says goes to standard error. */
const provision = async (powers: CliPowers): Promise<void> => {
  const cancel = powers.after(3_000, () => {
    powers.stderr.write('setting up the agent …\n');
  });
  try {
    await powers.withScriptsOnStderr(() =>
      withSession(powers, {}, (session) =>
        withPatience(
          powers,
          'the setup of the agent',
          runScript(powers, session, powers.setupScript, 'AGENT', []),
          SETUP_PATIENCE_MS,
        ),
      ),
    );
  } finally {
    cancel();
  }
};

const talkWith = (
  powers: CliPowers,
  call: Invocation,
  name: string,
): Promise<number> =>
  withSession(powers, call, (session) =>
    runTalk(powers, session, name, call.json),
  );

/** Resolves at a Ctrl-C before the conversation has begun. */
const untilInterrupted = (powers: CliPowers): [Promise<'left'>, () => void] => {
  let end: () => void = () => undefined;
  const left = new Promise<'left'>((resolve) => {
    end = powers.onInterrupt(() => resolve('left'));
  });
  return [left, end];
};

/** Stops the daemon that this call has started, unless others use it by now. */
const leave = async (powers: CliPowers): Promise<void> => {
  const outcome = await stopDaemon(powers, { spareOthers: true });
  if (outcome !== 'shared') return;
  powers.stderr.write(
    'the daemon goes on, somebody else is using it; "npm run -s hob -- stop" ends it\n',
  );
};

/**
 * The daemon of this folder. One of another folder gives way when nobody else
 * is using it, or when its folder is gone and it can start no worker any more.
 */
const ownDaemon = async (
  powers: CliPowers,
  name: string,
): Promise<DaemonStart> => {
  const start = await ensureDaemon(powers);
  const { other } = start;
  if (other === undefined) return start;
  if (other.isHere) {
    powers.stderr.write(`${otherDaemonNote(powers, other)}\n`);
    return start;
  }
  if (other.others > 0 && !other.isGone) {
    throw new CliError(
      `a daemon of another folder runs (${describeDaemon(other)}), and somebody else is using it; to replace it: ${REPLACE}; to talk through it as it is: npm run -s hob -- talk ${name}`,
    );
  }
  powers.stderr.write(
    `replacing the daemon that runs: it is ${describeDaemon(other)}; its agents come back with this one\n`,
  );
  const { pid } = await replaceDaemon(powers);
  // It ran before this call, and one does when this call is over.
  return { started: false, ...(pid === undefined ? {} : { pid }) };
};

/**
 * Starts the daemon unless one answers, sets the agent up, and talks with it.
 * Leaving stops what this call has started.
 */
export const up: Command = harden({
  spec: {
    name: 'up',
    summary: 'start the daemon, set up the agent, and talk with it',
    options: [{ flags: '--no-talk', help: 'leave both running instead' }],
  },
  run: async (powers, call) => {
    const { socketPath } = powers.paths;
    const name = powers.env['HOB_NAME'] || 'hob';
    const [left, stopListening] = untilInterrupted(powers);
    const { started } = await ownDaemon(powers, name);
    let keep = false;
    try {
      const early = await Promise.race([provision(powers), left]);
      if (early === 'left') return EXIT.error;
      if (call.options['talk'] !== false) {
        return await talkWith(powers, call, name);
      }
      keep = true;
      powers.stdout.write(
        call.json
          ? jsonDocument({ started, socketPath, agent: name })
          : `"${name}" is up at ${socketPath}\ntalk:  npm run -s hob -- talk ${name}\nstop:  npm run -s hob -- stop\n`,
      );
      return EXIT.ok;
    } finally {
      // Heard to the end: what this call has started is not left behind.
      if (started && !keep) await leave(powers);
      stopListening();
    }
  },
});
