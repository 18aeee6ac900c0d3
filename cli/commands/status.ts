import { E } from '@endo/far';
import { missingFileOf } from '../agent-report.ts';
import { EXIT, reasonOf } from '../cli-error.ts';
import {
  compareDaemon,
  otherDaemonNote,
  parseOrigin,
} from '../daemon-origin.ts';
import type { CliPowers, Command } from '../powers.ts';
import type {
  ControllerStatus,
  RemoteAgent,
  RemoteController,
} from '../remote.ts';
import { isNobodyThere, withPatience, withPatientSession } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';
import { visibleLine } from '../visible.ts';

const PREFIX = 'controller-for-';
const AGENT_PATIENCE_MS = 5_000;

type Answer =
  | { readonly name: string; readonly status: ControllerStatus }
  | { readonly name: string; readonly problem: string };

/** `missingFile` is the file that the agent was made of, when it is gone. */
type AgentReport = Answer & { readonly missingFile?: string };

const askAgent = async (
  powers: CliPowers,
  host: RemoteAgent,
  name: string,
): Promise<Answer> => {
  const controllerName = `${PREFIX}${name}`;
  const ask = async (): Promise<Answer> => {
    const controller = (await E(host).lookup(
      controllerName,
    )) as RemoteController;
    return { name, status: await E(controller).status() };
  };
  try {
    return await withPatience(powers, 'status', ask(), AGENT_PATIENCE_MS);
  } catch (error) {
    return { name, problem: reasonOf(error) };
  }
};

const reportAgent = async (
  powers: CliPowers,
  host: RemoteAgent,
  name: string,
): Promise<AgentReport> => {
  const [answer, missingFile] = await Promise.all([
    askAgent(powers, host, name),
    missingFileOf(powers, host, name),
  ]);
  return { ...answer, ...(missingFile === undefined ? {} : { missingFile }) };
};

const reportLine = (report: AgentReport): string => {
  const name = visibleLine(report.name);
  if (report.missingFile !== undefined) {
    const still = 'status' in report ? ' it still runs, and' : '';
    return `agent    ${name}: its file ${visibleLine(report.missingFile)} is gone;${still} "npm start" sets it up anew\n`;
  }
  if ('problem' in report) {
    return `agent    ${name}: ${visibleLine(report.problem)}\n`;
  }
  const { provider, model, openTurns, tokens } = report.status;
  return `agent    ${name}: ${visibleLine(provider)}, ${visibleLine(model)}; ${openTurns} open turns; tokens ${tokens.input} in, ${tokens.cached} cached, ${tokens.output} out\n`;
};

/** Whether a daemon runs, and which agents it keeps. */
export const status: Command = harden({
  spec: {
    name: 'status',
    summary: 'show whether a daemon runs, and its agents',
  },
  run: async (powers, call) => {
    const { socketPath, statePath } = powers.paths;
    try {
      return await withPatientSession(powers, {}, 'status', async (session) => {
        const daemon = await E(session.endo).ping();
        const names = await E(session.host).list();
        const agents = await Promise.all(
          names
            .filter((name) => name.startsWith(PREFIX))
            .map((name) =>
              reportAgent(powers, session.host, name.slice(PREFIX.length)),
            ),
        );
        const other = await compareDaemon(powers, parseOrigin(daemon));
        powers.stdout.write(
          call.json
            ? jsonDocument({
                running: true,
                socketPath,
                statePath,
                daemon,
                ...(other === undefined ? {} : { other }),
                agents,
              })
            : [
                `daemon   runs at ${socketPath}\n`,
                `answer   ${readable(daemon, 66)}\n`,
                ...(other === undefined
                  ? []
                  : [`note     ${otherDaemonNote(powers, other)}\n`]),
                ...agents.map(reportLine),
              ].join(''),
        );
        return EXIT.ok;
      });
    } catch (error) {
      // That nothing runs is an answer to this question.
      if (!isNobodyThere(error)) throw error;
      powers.stdout.write(
        call.json
          ? jsonDocument({ running: false, socketPath, statePath })
          : `no daemon at ${socketPath}; start it with "npm run -s hob -- start"\n`,
      );
      return EXIT.ok;
    }
  },
});
