import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

import { parseConfig } from '../../src/config.ts';
import { startOllamaServer } from '../support/ollama-server.ts';
import { badReplies, startOpenAiServer } from '../support/openai-server.ts';
import type { Script } from '../support/openai-server.ts';
import { simulate } from './simulate.ts';
import type { Simulation } from './simulate.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const TOKEN = 'sk-never-print-me';

type Finished = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

/** Runs the simulator with these settings and no other. */
const run = (
  env: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<Finished> =>
  new Promise((resolve) => {
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, [MAIN, ...argv], {
      env: { PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout
      .setEncoding('utf8')
      .on('data', (text: string) => (out += text));
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (err += text));
    child.on('close', (code) => resolve({ code, out, err }));
  });

const serve = async (script: Script) => {
  const server = await startOpenAiServer(script);
  onTestFinished(server.close);
  return { server, env: { LAL_HOST: server.url, LAL_AUTH_TOKEN: TOKEN } };
};

describe('the simulator', () => {
  it('shows the mail, the calls, the tokens and the time', async () => {
    const { server, env } = await serve([
      {
        toolCalls: [{ name: 'list', args: { petNamePath: [] } }],
        usage: {
          prompt_tokens: 1000,
          completion_tokens: 10,
          prompt_tokens_details: { cached_tokens: 600 },
        },
      },
      {
        text: `I know two names. ${'They are good names. '.repeat(8)}`,
        usage: { prompt_tokens: 1100, completion_tokens: 20 },
      },
    ]);
    const { code, out, err } = await run(env, 'Which names do you have?');
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toContain(`qwen3 (openai) at ${server.url}`);
    expect(out).toContain('HOST  Which names do you have?');
    expect(out).toMatch(/tool {2}list \{"petNamePath":\[\]\}\n {6}→ \[.*HOST/u);
    expect(out).toContain('hob   I know two names. They');
    expect(out.replaceAll('\n', ' ')).toMatch(
      /answered and dismissed after [\d.]+ s: 2 model calls, 1 tool call; tokens: 2100 in \(600 cached\), 30 out/u,
    );
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBe(80);
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain(TOKEN);
  });

  it('prints one JSON document when asked', async () => {
    const { env } = await serve([{ text: 'I am hob.' }]);
    const { code, out } = await run(env, '--json');
    expect(code).toBe(0);
    const simulation = JSON.parse(out) as Simulation;
    expect(simulation).toMatchObject({
      provider: 'openai',
      model: 'qwen3',
      ok: true,
      calls: [],
      modelCalls: 1,
      tokens: { input: 20, cached: 0, output: 7 },
    });
    expect(simulation.mail.at(-1)).toEqual({
      from: 'hob',
      to: 'HOST',
      text: 'I am hob.',
    });
  });

  it('runs with no model at all', async () => {
    const { code, out } = await run({ LAL_HOST: 'practice:' }, '2+3*4');
    expect(code).toBe(0);
    expect(out).toContain('2+3*4 = 14');
  });

  it('ends with 1 and the reason when the key is refused', async () => {
    const { env } = await serve([badReplies.unauthorized]);
    const { code, out, err } = await run(env);
    expect(code).toBe(1);
    expect(err).toMatch(/^simulator: .*answered 401.*Set LAL_AUTH_TOKEN/u);
    expect(out + err).not.toContain(TOKEN);
  });

  it('ends with 1 and what to do when there is no server', async () => {
    const server = await startOllamaServer([]);
    await server.close();
    const { code, err } = await run({ LAL_HOST: server.url });
    expect(code).toBe(1);
    expect(err).toContain('ollama serve');
  });

  it.each([
    [{ LAL_MODLE: 'x' }, [], 1, 'no variable LAL_MODLE'],
    [{ LAL_HOST: 'practice:' }, ['two', 'words'], 2, 'in quotes'],
    [{ LAL_HOST: 'practice:' }, ['--nonsense'], 2, 'usage:'],
  ])('with %j and %j ends with %i', async (env, argv, code, words) => {
    const finished = await run(env, ...argv);
    expect(finished.code).toBe(code);
    expect(finished.err).toContain(words);
    expect(finished.out).toBe('');
  });

  it('gives up on a model that does not answer, and ends its call', async () => {
    const server = await startOllamaServer([{ hang: true }]);
    onTestFinished(server.close);
    const asked = server.nextRequest();
    const config = parseConfig({ LAL_HOST: server.url });
    const simulation = await simulate(config, 'Hello?', {
      now: () => 0,
      patience: asked,
    });
    expect(simulation.ok).toBe(false);
    expect(simulation.problem).toContain('no answer in time');
    expect(await (await asked).closed).toBe(false);
  });
});
