import { reportAgents } from '../agent-report.ts';
import type { AgentReport, AgentState } from '../agent-report.ts';
import { EXIT } from '../cli-error.ts';
import { makeEmphasis, paragraph } from '../layout.ts';
import type { CliPowers, Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

const STATES: Readonly<Record<AgentState, string>> = harden({
  ready: 'ready',
  working: 'working',
  dead: 'dead',
  'file-gone': 'its file is gone',
  'no-controller': 'no controller',
});

const REMEDIES: Readonly<Partial<Record<AgentState, string>>> = harden({
  dead: '"log" may say more, "up" sets it up again',
  'file-gone': '"up" sets it up again from this folder',
});

const counted = (count: bigint, one: string, many = `${one}s`): string =>
  `${count} ${count === 1n ? one : many}`;

const factsOf = (report: AgentReport): readonly string[] => {
  const { state, reason, openTurns, openDecisions, tokens } = report;
  const waiting = `${counted(openDecisions, 'decision')} for you`;
  const used =
    tokens === undefined
      ? ''
      : `; tokens since its start: ${tokens.input} in, ${tokens.cached} cached, ${tokens.output} out`;
  const remedy = REMEDIES[state];
  return [
    ...(reason === undefined ? [] : [visibleLine(reason)]),
    ...(remedy === undefined ? [] : [remedy]),
    `${counted(openTurns, 'open turn')}, ${waiting}${used}`,
  ];
};

const reportText = (powers: CliPowers, report: AgentReport): string => {
  const { stdout, env } = powers;
  const { bold } = makeEmphasis(stdout, env);
  const { name, state, model, provider } = report;
  const mind = [model, provider]
    .flatMap((word) => (word === undefined ? [] : [visibleLine(word)]))
    .join(', ');
  const head = `${bold(visibleLine(name))}  ${STATES[state]}${mind === '' ? '' : `  (${mind})`}`;
  const facts = factsOf(report).map((fact) => paragraph(stdout, fact, 4));
  return `${head}\n${facts.join('\n')}\n`;
};

/** The agents of the host: what they think with, and what they do. */
export const agents: Command = harden({
  spec: {
    name: 'agents',
    summary: 'show your agents, their models and what they do',
  },
  run: (powers, call) =>
    withPatientSession(powers, call, 'agents', async ({ agent }) => {
      const reports = await reportAgents(powers, agent);
      const text =
        reports.length === 0
          ? 'no agents; "up" makes one\n'
          : reports.map((report) => reportText(powers, report)).join('');
      powers.stdout.write(call.json ? jsonDocument(reports) : text);
      return EXIT.ok;
    }),
});
