import { E } from '@endo/far';
import { actingHost } from '../acting-host.ts';
import { optionTexts, parsePair, parsePath } from '../arguments.ts';
import { CliError, EXIT, usageError } from '../cli-error.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import type { RemoteHost } from '../remote.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

const ARGS = [
  { syntax: '<name>', help: 'your name for its mail address' },
  {
    syntax: '[agent-name]',
    help: 'your name for itself (default: profile-for-<name>)',
  },
] as const;

const parseIntroductions = (
  call: Invocation,
): readonly (readonly [string, string])[] =>
  optionTexts(call.options['introduce']).map((text) => {
    const pair = parsePair(text, 'host-name:guest-name');
    for (const side of pair) assertOneName(side, '--introduce');
    return pair;
  });

const assertOneName = (name: string, what: string): void => {
  if (parsePath(name).length === 1) return;
  throw usageError(
    `${what} ${visibleLine(name)}: one name is wanted here, no path`,
  );
};

/** What a guest has already must not be lost by an introduction. */
const assertNew = async (
  host: RemoteHost,
  agentName: string,
  guestNames: readonly string[],
): Promise<void> => {
  for (const name of guestNames) {
    if (await E(host).has(agentName, name)) {
      throw new CliError(
        `--introduce …:${visibleLine(name)}: ${visibleLine(agentName)} has that name already; choose another`,
      );
    }
  }
};

const makeAgent = async (
  powers: CliPowers,
  call: Invocation,
  kind: 'guest' | 'host',
): Promise<number> => {
  const verb = `mk${kind}`;
  const [name = '', agentName = `profile-for-${name}`] = call.args;
  assertOneName(name, verb);
  assertOneName(agentName, verb);
  const pairs = parseIntroductions(call);
  const introducedNames = Object.fromEntries(pairs);
  return withPatientSession(powers, call, verb, async ({ agent }) => {
    const host = await actingHost(agent, verb, call);
    const known = await E(host).has(name);
    if (await E(host).has(agentName)) {
      await assertNew(host, agentName, Object.values(introducedNames));
    }
    const options = harden({ agentName, introducedNames });
    await (kind === 'guest'
      ? E(host).provideGuest(name, options)
      : E(host).provideHost(name, options));
    const head = known
      ? `${visibleLine(name)} is a ${kind} already`
      : `made the ${kind} ${visibleLine(name)}`;
    const lines = [
      `${head}; act as it with --as ${visibleLine(agentName)}`,
      ...pairs.map(
        ([here, there]) =>
          `it knows your ${visibleLine(here)} as ${visibleLine(there)}`,
      ),
    ];
    powers.stdout.write(
      call.json
        ? jsonDocument({ kind, name, agentName, introducedNames, new: !known })
        : `${lines.join('\n')}\n`,
    );
    return EXIT.ok;
  });
};

/** Makes a guest: an agent with what it is given, and mail to you. */
export const makeGuest: Command = harden({
  spec: {
    name: 'mkguest',
    summary: 'make a guest, who has only what you give',
    args: ARGS,
    options: [
      {
        flags: '--introduce <names>',
        help: 'host-name:guest-name, a value of yours it is given',
        repeated: true,
      },
    ],
    examples: ['mkguest bob --introduce counter:tally'],
  },
  run: (powers, call) => makeAgent(powers, call, 'guest'),
});

/** Makes another host, who can run code as you can. */
export const makeHost: Command = harden({
  spec: {
    name: 'mkhost',
    summary: 'make another host, who can run code as you can',
    args: ARGS,
    examples: ['mkhost work'],
  },
  run: (powers, call) => makeAgent(powers, call, 'host'),
});
