import { E } from '@endo/far';
import { actingHost } from '../acting-host.ts';
import { findBelongings } from '../agent-belongings.ts';
import type { Belongings } from '../agent-belongings.ts';
import { parsePath } from '../arguments.ts';
import { EXIT, usageError } from '../cli-error.ts';
import { confirm } from '../confirm.ts';
import type { Command } from '../powers.ts';
import type { RemoteHost } from '../remote.ts';
import { withPatience, withSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

const counted = (count: number, one: string): string =>
  `${count} ${one}${count === 1 ? '' : 's'}`;

const paths = (names: readonly (readonly string[])[]): string =>
  names.map((path) => visibleLine(path.join('/'))).join(', ');

/** What goes, what stays, and what is left undecided: a sentence a line. */
const consequences = (name: string, found: Belongings): readonly string[] => {
  const { conversations, values, open, otherNames, names } = found;
  const kept = otherNames.map(visibleLine).join(', ');
  const fate =
    otherNames.length === 0 ? 'go with it' : `stay, for it is also ${kept}`;
  return [
    `"${visibleLine(name)}" is stopped, and these names go:\n  ${paths(names)}`,
    `Its mail, ${counted(conversations, 'record')} of conversations and ${counted(values, 'named value')} ${fate}.`,
    ...(open.length === 0
      ? []
      : [
          `Undecided between you and it: ${open.map((n) => `#${n}`).join(', ')}; nobody will hear of a decision.`,
        ]),
  ];
};

/** Its controller ends first: it must not write while its names go. */
const removeAll = async (
  host: RemoteHost,
  { controllerName, names }: Belongings,
): Promise<void> => {
  if (controllerName !== undefined) {
    await E(host).cancel(controllerName, Error('the agent is removed'));
  }
  // In order, the address last: what fails can be done again.
  for (const path of names) await E(host).remove(...path);
};

/** Removes an agent: what runs, its guest, and all that only it has. */
export const agentRemove: Command = harden({
  spec: {
    name: 'agent remove',
    summary: 'remove an agent, with its conversations and values',
    args: [{ syntax: '<name>', help: 'its name, as "agents" shows it' }],
    options: [{ flags: '--yes', help: 'do not ask' }],
    examples: ['agent remove bob'],
  },
  run: async (powers, call) => {
    const [name = ''] = call.args;
    const verb = 'agent remove';
    if (parsePath(name).length > 1) {
      throw usageError(`${verb} ${visibleLine(name)}: an agent has one name`);
    }
    return withSession(powers, call, async ({ agent }) => {
      const host = await withPatience(
        powers,
        verb,
        actingHost(agent, verb, call),
      );
      const found = await withPatience(
        powers,
        verb,
        findBelongings(host, name),
      );
      const lines = consequences(name, found);
      await confirm(powers, call, verb, lines.join('\n'));
      await withPatience(powers, verb, removeAll(host, found));
      powers.stdout.write(
        call.json
          ? jsonDocument({
              removed: found.names.map((path) => path.join('/')),
              otherNames: found.otherNames,
              conversations: found.conversations,
              values: found.values,
              undecided: found.open,
            })
          : call.options['yes'] === true
            ? `${lines.join('\n')}\nremoved ${visibleLine(name)}\n`
            : `removed ${visibleLine(name)}\n`,
      );
      return EXIT.ok;
    });
  },
});
