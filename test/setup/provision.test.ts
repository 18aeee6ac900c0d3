import { describe, expect, it } from 'vitest';
import { provisionAgent } from '../../setup/provision.ts';
import type { Provisioned } from '../../setup/provision.ts';
import type { Environment } from '../../setup/settings.ts';
import type { Fetch } from '../../setup/provider-choice.ts';
import { makeFakeHost } from './fake-host.ts';

const nothingAnswers: Fetch = () => Promise.reject(Error('refused'));
const ollama: Fetch = () =>
  Promise.resolve({
    ok: true,
    json: () => Promise.resolve({ models: [{ name: 'qwen3:8b' }] }),
  });

const makeWorld = (daemon: { readonly canRemake?: boolean } = {}) => {
  const world = makeFakeHost(daemon);
  let ids = 0;
  const setUp = (
    env: Environment = {},
    { fetch = nothingAnswers, caplet = 'file:///caplet.ts' } = {},
  ): Promise<Provisioned> =>
    provisionAgent(world.host, {
      env,
      fetch,
      caplet,
      randomId: () => {
        ids += 1;
        return `id-${ids}`;
      },
    });
  return { ...world, setUp };
};

const TOKEN = { LAL_HOST: 'https://model.test/v1', LAL_AUTH_TOKEN: 's3cret' };

describe('setting up an agent', () => {
  it('makes guest, profile and pinned controller, with the settings', async () => {
    const { setUp, names, made } = makeWorld();
    expect(await setUp({ LAL_MAX_STEPS: '5' })).toMatchObject({
      outcome: 'made',
      name: 'hob',
      host: 'practice:',
    });
    expect([...names.keys()]).toEqual([
      'hob',
      'profile-for-hob',
      'controller-for-hob',
      'PINS/controller-for-hob',
    ]);
    expect(made).toEqual([
      {
        specifier: 'file:///caplet.ts',
        powersName: 'profile-for-hob',
        env: {
          LAL_MAX_STEPS: '5',
          LAL_HOST: 'practice:',
          HOB_NAME: 'hob',
          HOB_PROVISION: 'id-1',
        },
      },
    ]);
  });

  it('keeps the token out of lal-config', async () => {
    const { setUp, profile, made } = makeWorld();
    await setUp(TOKEN);
    expect(made[0]?.env['LAL_AUTH_TOKEN']).toBe('s3cret');
    const stored = profile.get('lal-config');
    expect(stored).toMatchObject({ host: TOKEN.LAL_HOST, hasToken: true });
    expect(JSON.stringify(stored)).not.toContain('s3cret');
  });

  it('leaves the agent alone when nothing has changed', async () => {
    const { setUp, log } = makeWorld();
    await setUp(TOKEN);
    expect((await setUp(TOKEN)).outcome).toBe('unchanged');
    expect(log).toEqual(['make new-hob-for-hob']);
  });

  it('leaves the agent alone when no setting is given at all', async () => {
    const { setUp, log } = makeWorld();
    await setUp({ ...TOKEN, LAL_MAX_STEPS: '5' });
    const again = await setUp({});
    expect(again).toMatchObject({ outcome: 'unchanged', host: TOKEN.LAL_HOST });
    expect(log).toEqual(['make new-hob-for-hob']);
  });

  it('ends the old one for a new one when a setting has changed', async () => {
    const { setUp, log, names, made } = makeWorld();
    await setUp({});
    const old = names.get('controller-for-hob');
    expect((await setUp({ LAL_MAX_STEPS: '7' })).outcome).toBe('reconfigured');
    expect(log).toEqual([
      'make new-hob-for-hob',
      'cancel controller-for-hob',
      'make new-hob-for-hob',
      'cancel controller-for-hob',
    ]);
    expect(names.has('new-hob-for-hob')).toBe(false);
    expect([...names.values()]).not.toContain(old);
    expect(names.get('PINS/controller-for-hob')).toBe(
      names.get('controller-for-hob'),
    );
    expect(made[1]?.env['HOB_PROVISION']).toBe('id-2');
  });

  it('goes back to the default for an empty host or model', async () => {
    const { setUp } = makeWorld();
    await setUp({ LAL_HOST: 'http://model.test/v1', LAL_MODEL: 'big' });
    const other = await setUp({ LAL_MODEL: '' });
    expect(other).toMatchObject({ host: 'http://model.test/v1' });
    expect(other).not.toHaveProperty('model');
    expect(await setUp({ LAL_HOST: '' })).toMatchObject({ host: 'practice:' });
  });

  it('forgets the provider of a host that is taken back', async () => {
    const { setUp, made } = makeWorld();
    await setUp({ LAL_HOST: 'http://model.test', LAL_PROVIDER: 'anthropic' });
    await setUp({ LAL_HOST: '' });
    expect(made[1]?.env).not.toHaveProperty('LAL_PROVIDER');
  });

  it('leaves a host that was found for a provider that is named', async () => {
    const { setUp } = makeWorld();
    await setUp({}, { fetch: ollama });
    expect(
      await setUp({ LAL_PROVIDER: 'anthropic' }, { fetch: ollama }),
    ).toMatchObject({ host: 'https://api.anthropic.com' });
  });

  it('keeps the chosen model when only something else changes', async () => {
    const { setUp, made } = makeWorld();
    await setUp({ LAL_HOST: 'http://model.test/v1', LAL_MODEL: 'big' });
    await setUp({ LAL_MAX_STEPS: '7' }, { fetch: ollama });
    expect(made[1]?.env).toMatchObject({
      LAL_HOST: 'http://model.test/v1',
      LAL_MODEL: 'big',
      LAL_MAX_STEPS: '7',
    });
  });

  it('keeps every other setting too, until it is set to another or to nothing', async () => {
    const { setUp, made } = makeWorld();
    await setUp({
      LAL_HOST: 'http://model.test/x',
      LAL_PROVIDER: 'openai',
      LAL_OPEN: 'bob',
      LAL_GUEST_TOKENS: '1000',
    });
    await setUp({ LAL_MODEL: 'big', LAL_OPEN: '' });
    expect(made[1]?.env).toMatchObject({
      LAL_PROVIDER: 'openai',
      LAL_GUEST_TOKENS: '1000',
      LAL_MODEL: 'big',
    });
    expect(made[1]?.env).not.toHaveProperty('LAL_OPEN');
  });

  it('leaves the agent where it is when new settings are refused', async () => {
    const { setUp, breakControllers, names } = makeWorld();
    await setUp({ LAL_HOST: 'practice:' });
    const old = names.get('controller-for-hob');
    breakControllers();
    await expect(setUp({ LAL_MAX_STEPS: '7' })).rejects.toThrow('gone');
    expect(names.get('controller-for-hob')).toBe(old);
    expect(names.get('PINS/controller-for-hob')).toBe(old);
    expect(names.has('new-hob-for-hob')).toBe(false);
  });

  it('asks for the token again rather than losing it, where the daemon cannot hand it on', async () => {
    const { setUp, log } = makeWorld();
    await setUp(TOKEN);
    await expect(setUp({ LAL_MAX_STEPS: '7' })).rejects.toThrow(
      'set LAL_AUTH_TOKEN again',
    );
    expect(log).toEqual(['make new-hob-for-hob']);
  });

  it('has the token handed on by the daemon, and never sees it', async () => {
    const { setUp, made, log, profile } = makeWorld({ canRemake: true });
    await setUp(TOKEN);
    const again = await setUp({ LAL_MAX_STEPS: '7' });
    expect(again.outcome).toBe('reconfigured');
    expect(log).toContain('remake controller-for-hob as new-hob-for-hob');
    expect(made[1]?.env).toMatchObject({
      LAL_MAX_STEPS: '7',
      LAL_AUTH_TOKEN: 's3cret',
    });
    expect(profile.get('lal-config')).toMatchObject({ hasToken: true });
  });

  it('leaves the agent alone when it has these settings, its token apart', async () => {
    const { setUp, log } = makeWorld({ canRemake: true });
    await setUp({ ...TOKEN, LAL_MAX_STEPS: '7' });
    expect((await setUp({ LAL_MAX_STEPS: '7' })).outcome).toBe('unchanged');
    expect(log).toEqual(['make new-hob-for-hob']);
  });

  it('never hands the token on to another host', async () => {
    const { setUp, made, profile } = makeWorld({ canRemake: true });
    await setUp(TOKEN);
    await setUp({ LAL_HOST: 'https://elsewhere.test/v1' });
    expect(made[1]?.env).not.toHaveProperty('LAL_AUTH_TOKEN');
    expect(profile.get('lal-config')).toMatchObject({ hasToken: false });
    await setUp({ LAL_HOST: TOKEN.LAL_HOST });
    expect(made[2]?.env).not.toHaveProperty('LAL_AUTH_TOKEN');
  });

  it('never hands the token on to a host that the guest has written down', async () => {
    const { setUp, made, profile } = makeWorld({ canRemake: true });
    await setUp(TOKEN);
    const stored = profile.get('lal-config') as object;
    const forged = { host: 'https://evil.test/v1', caplet: 'file:///old.ts' };
    profile.set('lal-config', harden({ ...stored, ...forged }));
    await setUp({});
    expect(made[1]?.env).toMatchObject(TOKEN);
  });

  it('drops the token when it is set to nothing', async () => {
    const { setUp, made, profile } = makeWorld({ canRemake: true });
    await setUp(TOKEN);
    await setUp({ LAL_AUTH_TOKEN: '' });
    expect(made[1]?.env).not.toHaveProperty('LAL_AUTH_TOKEN');
    expect(profile.get('lal-config')).toMatchObject({ hasToken: false });
  });

  it('asks for the token when the controller has none to hand on', async () => {
    const { setUp, names } = makeWorld({ canRemake: true });
    await setUp(TOKEN);
    names.set('controller-for-hob', 'restored without its settings');
    await expect(setUp({ LAL_MAX_STEPS: '7' })).rejects.toThrow(
      'set LAL_AUTH_TOKEN again',
    );
  });

  it('looks for a model again while it only practises by default', async () => {
    const { setUp, made } = makeWorld();
    await setUp({});
    const again = await setUp({}, { fetch: ollama });
    expect(again).toMatchObject({ outcome: 'reconfigured', model: 'qwen3:8b' });
    expect(made[1]?.env['LAL_HOST']).toBe('http://localhost:11434');
  });

  it('goes to where a named provider is, and does not look for another', async () => {
    const { setUp, made } = makeWorld();
    const again = await setUp(
      { LAL_PROVIDER: 'anthropic', LAL_AUTH_TOKEN: 'key' },
      { fetch: ollama },
    );
    expect(again.host).toBe('https://api.anthropic.com');
    expect(made[0]?.env).toMatchObject({
      LAL_HOST: 'https://api.anthropic.com',
      LAL_PROVIDER: 'anthropic',
    });
  });

  it('keeps practice when that was chosen', async () => {
    const { setUp } = makeWorld();
    await setUp({ LAL_HOST: 'practice:' });
    const again = await setUp({}, { fetch: ollama });
    expect(again).toMatchObject({ outcome: 'unchanged', host: 'practice:' });
  });

  it('starts a broken agent anew', async () => {
    const { setUp, breakControllers, mendControllers, log } = makeWorld();
    await setUp({});
    breakControllers();
    await expect(setUp({})).rejects.toThrow('gone');
    mendControllers();
    expect(log.filter((line) => line.startsWith('make'))).toHaveLength(2);
  });

  it('keeps the old settings on record when the agent refuses new ones', async () => {
    const { setUp, breakControllers, profile } = makeWorld();
    await setUp(TOKEN);
    breakControllers();
    await expect(setUp({ LAL_HOST: 'practice:' })).rejects.toThrow('gone');
    expect(profile.get('lal-config')).toMatchObject({ host: TOKEN.LAL_HOST });
  });

  it('starts the agent anew when the program has moved', async () => {
    const { setUp, made } = makeWorld({ canRemake: true });
    await setUp({ ...TOKEN, LAL_MAX_STEPS: '7' });
    const moved = await setUp({}, { caplet: 'file:///elsewhere.ts' });
    expect(moved).toMatchObject({
      outcome: 'reconfigured',
      before: 'file:///caplet.ts',
    });
    expect(made[1]).toMatchObject({
      specifier: 'file:///elsewhere.ts',
      env: { ...TOKEN, LAL_MAX_STEPS: '7' },
    });
  });

  it('says why the new one failed, not why the old one does not come back', async () => {
    const { setUp, breakControllers } = makeWorld();
    await setUp({});
    breakControllers();
    await expect(setUp({}, { caplet: 'file:///elsewhere.ts' })).rejects.toThrow(
      'gone',
    );
  });

  it('pins an agent that has lost its pin', async () => {
    const { setUp, names } = makeWorld();
    await setUp({});
    names.delete('PINS/controller-for-hob');
    await setUp({});
    expect(names.has('PINS/controller-for-hob')).toBe(true);
  });

  it('refuses a name that stands for something else', async () => {
    const { setUp, names } = makeWorld();
    names.set('counter', 'a value');
    await expect(setUp({ HOB_NAME: 'counter' })).rejects.toThrow(
      'set HOB_NAME to another name',
    );
  });

  it('touches nothing when a setting is malformed', async () => {
    const { setUp, names } = makeWorld();
    await expect(setUp({ LAL_HOST: 'nonsense' })).rejects.toThrow('LAL_HOST');
    expect(names.size).toBe(0);
  });
});
