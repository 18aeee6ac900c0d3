import { E } from '@endo/far';
import { describe, expect, it } from 'vitest';

import { hostToolDefinitions } from '../../src/guest-tools/tool-sets.ts';
import { makeAgentWorld } from '../support/agent-world.ts';
import { makePerson, type Person } from '../support/person.ts';
import {
  type Step,
  answer,
  call,
  makeScriptedModel,
} from '../support/scripted-model.ts';

const TOKEN = 'sk-very-secret';

/** Values for the parameters that are not names, so that a name decides. */
const others: { readonly [parameter: string]: unknown } = {
  value: 1,
  strings: ['a'],
  edgeNames: ['edge'],
  edgeName: 'gift',
  messageNumber: 0,
  replace: true,
  methodName: 'list',
  description: 'a pen',
  reason: 'no',
  source: 'x',
  codeNames: ['x'],
  purpose: 'why',
};

type NameParameter = {
  readonly tool: string;
  readonly parameter: string;
  readonly isList: boolean;
};

// What a schema calls a name is what passes the gate.
const nameParameters: readonly NameParameter[] = hostToolDefinitions.flatMap(
  ({ name, parameters }) =>
    Object.keys(parameters)
      .filter((parameter) => !Object.hasOwn(others, parameter))
      .map((parameter) => ({
        tool: name,
        parameter,
        isList: parameter === 'petNames',
      })),
);

/** What stands for the agent's own formula id and locator, known in the test. */
const ID = Symbol('id');
const LOCATOR = Symbol('locator');

const roads: readonly (readonly [string, unknown])[] = [
  ['the id of the agent', ID],
  ['the locator of the agent', LOCATOR],
  ['AGENT', 'AGENT'],
  ['the configuration by name', 'lal-config'],
  ['the lease', 'hob-lease'],
  ['a transcript', 'transcript-0123'],
  ['a path through AGENT', ['AGENT', 'lal-config']],
  ['the same as one text', 'AGENT/lal-config'],
  ['through AGENT twice', ['AGENT', 'AGENT', 'note']],
  ['KEYPAIR', 'KEYPAIR'],
  ['MAIL', ['MAIL']],
  ['a copy of AGENT under another name', 'innocent'],
  ['a path through the copy', ['innocent', 'lal-config']],
  ['a copy in a folder', ['folder', 'inner']],
  ['a path through the copy in a folder', ['folder', 'inner', 'note']],
  ['another spelling', 'LAL-CONFIG'],
  ['another generation', '@agent'],
];

const pathOf = (road: unknown, agentId: string): unknown => {
  const [number, node] = agentId.split(':');
  if (road === ID) return agentId;
  if (road === LOCATOR) return `endo://${node}/?id=${number}&type=guest`;
  return road;
};

/** Methods that act on what a name means; the gate itself only identifies. */
const TOUCHING = [
  'has',
  'list',
  'move',
  'copy',
  'makeDirectory',
  'send',
  'adopt',
  'reverseIdentify',
  'request',
  'resolve',
  'reject',
  'evaluate',
];

type Writer = { readonly write: (path: unknown, id: string) => Promise<void> };

const namesOf = async ({ port }: Person): Promise<readonly string[]> =>
  (await port.list([])).filter((name) => !name.startsWith('transcript-'));

describe.each(roads)('the road to bookkeeping by %s', (_road, road) => {
  it.each(nameParameters)(
    'is refused to $tool as $parameter',
    async ({ tool, parameter, isList }) => {
      const definition = hostToolDefinitions.find(({ name }) => name === tool);
      const rest = Object.keys(definition?.parameters ?? {}).map((each) => [
        each,
        others[each] ?? (each === 'petNames' ? ['note'] : ['unused']),
      ]);
      const goDownTheRoad: Step = (request, index) => {
        const path = pathOf(road, hob.agentId);
        const args = {
          ...(Object.fromEntries(rest) as { [parameter: string]: unknown }),
          [parameter]: isList ? [path] : path,
        };
        return call(tool, args)(request, index);
      };
      const script = makeScriptedModel([goDownTheRoad, answer('Tried.')]);
      const { host, hob } = await makeAgentWorld({ model: script.model });
      await hob.put('lal-config', TOKEN);
      await hob.put('note', 'harmless');
      const writer = E(
        hob.powers as Writer & { makeDirectory: Writer['write'] },
      );
      await writer.write('innocent', hob.agentId);
      await (
        hob.powers as { makeDirectory: (path: string) => Promise<void> }
      ).makeDirectory('folder');
      await writer.write(['folder', 'inner'], hob.agentId);
      const own = await makePerson(hob.powers);
      const before = await namesOf(own);
      hob.control.resetCalls();

      await host.send('hob', 'Try');
      expect(await host.receiveText()).toBe('Tried.');
      const result = script.requests[1]?.messages.at(-1);
      expect(result).toMatchObject({ role: 'tool', isError: true });
      expect(result?.content).not.toContain(TOKEN);
      // What the model gave itself is quoted to it, and is no news.
      const given = String(pathOf(road, hob.agentId));
      const told = result?.content.replaceAll(given, '(given)');
      expect(told).not.toContain(hob.agentId.slice(0, 16));
      const touched = hob.control.log.filter((method) =>
        TOUCHING.includes(method),
      );
      expect(touched).toEqual([]);
      // The agent writes its own records; nothing of what was there is changed.
      expect(await namesOf(own)).toEqual(before);
      expect(await own.port.lookup(['lal-config'])).toBe(TOKEN);
    },
  );
});

it('hides bookkeeping in list', async () => {
  const script = makeScriptedModel([call('list', {}), answer('Listed.')]);
  const { host, hob } = await makeAgentWorld({ model: script.model });
  await hob.put('lal-config', TOKEN);
  await hob.put('note', 'harmless');
  await host.send('hob', 'List');
  await host.receiveText();
  const result = script.requests[1]?.messages.at(-1)?.content;
  expect(result).toContain('note');
  expect(result).not.toMatch(/lal-config|hob-lease/u);
});
