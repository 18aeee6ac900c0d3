import { describe, expect, it } from 'vitest';
import { provisionMoved } from '../../setup/moved-agents.ts';
import { provisionAgent } from '../../setup/provision.ts';
import { makeFakeHost } from './fake-host.ts';

const OLD = 'file:///old/caplet.ts';
const NEW = 'file:///new/caplet.ts';

const makeWorld = () => {
  const world = makeFakeHost({ canRemake: true });
  const shared = {
    fetch: () => Promise.reject(Error('refused')),
    randomId: () => 'id',
  };
  return {
    ...world,
    setUp: (caplet: string, env: Readonly<Record<string, string>>) =>
      provisionAgent(world.host, { ...shared, caplet, env }),
    move: () =>
      provisionMoved(
        world.host,
        {
          ...shared,
          caplet: NEW,
          env: { LAL_HOST: 'practice:', LAL_MODEL: 'for-hob-alone' },
        },
        'hob',
      ),
  };
};

const TOKEN = { LAL_HOST: 'https://model.test/v1', LAL_AUTH_TOKEN: 's3cret' };

describe('agents that were left behind', () => {
  it('are set up again, with their settings and their token', async () => {
    const { setUp, move, made, strandControllers } = makeWorld();
    await setUp(OLD, { ...TOKEN, HOB_NAME: 'puck', LAL_MAX_STEPS: '9' });
    strandControllers();
    const moved = await move();
    expect(moved).toMatchObject([
      { provisioned: { name: 'puck', outcome: 'reconfigured', before: OLD } },
    ]);
    expect(made[1]).toMatchObject({
      specifier: NEW,
      env: { ...TOKEN, LAL_MAX_STEPS: '9', HOB_NAME: 'puck' },
    });
    expect(made[1]?.env).not.toHaveProperty('LAL_MODEL');
  });

  it('are left alone when they run, from wherever', async () => {
    const { setUp, move, log } = makeWorld();
    await setUp(OLD, { ...TOKEN, HOB_NAME: 'puck' });
    expect(await move()).toEqual([]);
    expect(log).toHaveLength(1);
  });

  it('are told of when they cannot be set up', async () => {
    const { setUp, move, breakControllers } = makeWorld();
    await setUp(OLD, { ...TOKEN, HOB_NAME: 'puck' });
    breakControllers();
    expect(await move()).toMatchObject([{ name: 'puck', problem: 'gone' }]);
  });
});
