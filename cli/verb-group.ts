import type { Command as Commander } from 'commander';
import { usageError } from './cli-error.ts';
import { visibleLine } from './visible.ts';

/** Groups have verbs behind them; every verb has options and none. */
const verbsOf = (command: Commander): readonly Commander[] => command.commands;

const formOf = (group: Commander, verb: Commander): string =>
  `${group.name()} ${verb.name()} ${verb.usage().replace('[options] ', '')}`;

/** The command that verbs stand behind, as `agent` in `agent remove`. */
export const groupNamed = (parent: Commander, name: string): Commander => {
  const known = parent.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const group = parent
    .command(name)
    .usage('<verb>')
    .allowUnknownOption()
    .allowExcessArguments();
  return group.action(() => {
    const [given] = group.args;
    const wrong =
      given === undefined
        ? `"${name}" needs a verb`
        : `there is no verb "${name} ${visibleLine(given)}"`;
    const forms = verbsOf(group).map((verb) => formOf(group, verb));
    throw usageError(`${wrong}; say ${forms.join(', or ')}`);
  });
};
harden(groupNamed);

/**
 * In the list of verbs they stand without what they take, so that each has one
 * line: `help <verb>` tells the rest.
 */
export const verbList: {
  readonly subcommandTerm: (command: Commander) => string;
  readonly subcommandDescription: (command: Commander) => string;
} = harden({
  subcommandTerm: (command: Commander) => {
    const names = verbsOf(command).map((verb) => verb.name());
    return [command.name(), names.join('|')].join(' ').trimEnd();
  },
  subcommandDescription: (command: Commander) =>
    verbsOf(command)[0]?.description() ?? command.description(),
});
