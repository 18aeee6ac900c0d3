import { E } from '@endo/far';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { makeCli } from '../cli/in-process.ts';
import { runHob } from '../cli/process.ts';
import {
  type OpenAiServer,
  type ServerRequest,
  startOpenAiServer,
} from '../support/openai-server.ts';
import { textOf } from '../support/person.ts';
import { setUpAgent } from '../support/second-agent.ts';
import { type System, startSystem } from '../support/system.ts';
import { readTold } from '../support/told-model.ts';

let system: System;
let other: OpenAiServer;
let release: () => void;

/** Says with which model it thinks; `wait` only once it is released. */
const sayModel =
  (gate?: Promise<void>) =>
  ({ body }: ServerRequest) => {
    const { text } = readTold(body);
    const answer = { text: `${text}, says ${body.model}.` };
    return text === 'wait' && gate !== undefined
      ? { ...answer, after: gate }
      : answer;
  };

beforeEach(async () => {
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  system = await startSystem(sayModel(gate), { LAL_MODEL: 'first' });
  other = await startOpenAiServer(sayModel());
  await setUpAgent(system, 'puck', {
    LAL_HOST: other.url,
    LAL_MODEL: 'second',
  });
  expect(await system.host.receiveText()).toContain('puck ready');
});
afterEach(async () => {
  release();
  await system.stop();
  await other.close();
});

const ask = async (name: string, text: string): Promise<string> => {
  const { messageId } = await system.host.send(name, text);
  const answer = await system.host.receive();
  expect(answer.replyTo).toBe(messageId);
  return textOf(answer);
};

/** Puts the first agent into a turn that goes on until it is released. */
const occupy = async (): Promise<{
  readonly messageId: string;
  readonly request: ServerRequest;
}> => {
  const { messageId } = await system.host.send('hob', 'wait');
  return { messageId, request: await system.server.nextRequest() };
};

/** The turn of the first agent goes on to its end, which is its only one. */
const finish = async (messageId: string): Promise<void> => {
  expect(await E(system.controller).status()).toMatchObject({ openTurns: 1n });
  expect(system.server.requests).toHaveLength(1);
  release();
  const answer = await system.host.receive();
  expect(answer).toMatchObject({
    replyTo: messageId,
    strings: ['[depth:2] wait, says first.'],
  });
  expect(await system.settled(messageId)).toBe('answered');
  expect(system.server.requests).toHaveLength(1);
};

const modelsOf = ({ requests }: OpenAiServer): readonly string[] =>
  requests.map(({ body }) => body.model);

describe('two agents with different models', () => {
  it('answer at a time, each with its own', async () => {
    const { messageId } = await occupy();
    expect(await ask('puck', 'Hello')).toBe('Hello, says second.');
    await finish(messageId);
    expect(await ask('hob', 'And you')).toBe('And you, says first.');
    expect(modelsOf(system.server)).toEqual(['first', 'first']);
    expect(modelsOf(other)).toEqual(['second']);
    const { out } = await makeCli(system.daemon.statePath)(['agents']);
    expect(out).toMatch(/^hob {2}ready {2}\(first, openai\)$/mu);
    expect(out).toMatch(/^puck {2}ready {2}\(second, openai\)$/mu);
  });

  it('go on when one is set up anew while the other is in a turn', async () => {
    const { daemon, host } = system;
    const { messageId, request } = await occupy();
    const { code, err } = await runHob(daemon.statePath, ['up', '--no-talk'], {
      env: { HOB_NAME: 'puck', LAL_MODEL: 'third' },
    });
    expect(code).toBe(0);
    expect(err).toContain('puck: set up anew, thinks with third');
    expect(await host.receiveText()).toBe('puck ready: openai, third');
    expect(await ask('puck', 'Hello')).toBe('Hello, says third.');
    await finish(messageId);
    expect(await request.closed).toBe(true);
    expect(await ask('hob', 'And you')).toBe('And you, says first.');
  });

  it('go on when one is set up anew in its own turn, which it begins again with the new model', async () => {
    const { host } = system;
    const { messageId, request } = await occupy();
    await setUpAgent(system, 'hob', {
      LAL_HOST: other.url,
      LAL_MODEL: 'third',
    });
    expect(await request.closed).toBe(false);
    const told = [await host.receive(), await host.receive()];
    expect(told.map(textOf).sort()).toEqual([
      'hob ready: openai, third',
      'wait, says third.',
    ]);
    expect(told.map(({ replyTo }) => replyTo)).toContain(messageId);
    expect(await ask('puck', 'Hello')).toBe('Hello, says second.');
    expect(modelsOf(other)).toEqual(['third', 'second']);
  });
});

describe('an agent that is removed', () => {
  it('is gone, while the other goes on in its turn, and does not come back', async () => {
    const { daemon } = system;
    const hob = makeCli(daemon.statePath);
    expect(await ask('puck', 'Hello')).toBe('Hello, says second.');
    const { messageId, request } = await occupy();
    const removed = await hob(['agent', 'remove', 'puck', '--yes']);
    expect(removed).toMatchObject({ code: 0, err: '' });
    const gone = await hob(['send', 'puck', 'Are', 'you', 'there?']);
    expect(gone.code).toBe(1);
    expect(gone.err).toContain('puck');
    await finish(messageId);
    expect(await request.closed).toBe(true);
    await daemon.kill9();
    await daemon.restart();
    const talk = await hob(['talk', 'hob'], { lines: ['And now'] });
    expect(talk.out).toBe('And now, says first.\n');
    const pins = await hob(['list', 'PINS', '--json']);
    expect(JSON.parse(pins.out)).toEqual(['controller-for-hob']);
    const agents = await hob(['agents', '--json']);
    expect(JSON.parse(agents.out)).toMatchObject([{ name: 'hob' }]);
    expect(modelsOf(other)).toEqual(['second']);
  });
});
