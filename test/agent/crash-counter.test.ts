import { expect, it } from 'vitest';

import type { ChatAnswer } from '../../src/model/chat.ts';
import type { Death } from '../support/killable-guest.ts';
import {
  type CrashWorld,
  leftOf,
  makeCrashWorld,
  textsOf,
  untilQuiet,
} from './crash-world.ts';
import { deciding } from './deciding.ts';

const say = (content: string, source?: string): ChatAnswer => {
  const argumentsText = JSON.stringify({ source });
  const call = { id: 'call', name: 'evaluate', argumentsText };
  return harden({
    message: {
      ...{ role: 'assistant', content },
      toolCalls: source === undefined ? [] : [call],
    },
    stop: source === undefined ? 'end' : 'tools',
    usage: { input: 10, cached: 0, output: 5 },
  });
};

const script = (turn: string, step: number): ChatAnswer => {
  if (turn.includes('6 * 9')) return say('I see.');
  return step === 0 ? say('', '6 * 7') : say('Proposed.');
};

/** The HOST asks, and counters what is proposed. */
const live = async (made: CrashWorld, death?: Death) => {
  const incarnation = await made.start(death);
  await untilQuiet(incarnation);
  const open = (await made.host.listMessages()).find(
    (mail) => mail.type === 'review' && mail.state === 'open',
  );
  if (open !== undefined) {
    await deciding(made.world.host).counter(open.number, '6 * 9');
    await untilQuiet(incarnation);
  }
  return incarnation;
};

const prepare = async (): Promise<CrashWorld> => {
  const made = await makeCrashWorld(script);
  await made.host.send(['hob'], {
    ...{ strings: ['Propose it'], edgeNames: [], petNames: [] },
  });
  return made;
};

it('a counter-proposal is told once, wherever a crash comes', async () => {
  const { calls } = await live(await prepare());
  expect(calls.length).toBeGreaterThan(20);
  for (const side of ['before', 'after'] as const) {
    for (let at = 0; at < calls.length; at += 1) {
      const made = await prepare();
      const first = await live(made, { at, side });
      first.kill();
      await live(made);
      const where = `${side} call ${at} (${calls[at] ?? ''})`;
      const texts = textsOf(await made.host.listMessages());
      const told = texts.filter((text) => text === 'I see.').length;
      const { entries, open } = await leftOf(made.own);
      expect({ where, told, entries, open }).toEqual({
        ...{ where, told: 1, entries: 0, open: 0 },
      });
    }
  }
}, 60_000);
