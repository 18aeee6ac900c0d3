import { describe, expect, it } from 'vitest';
import { AGENT_VARIABLES, readSettings } from '../../setup/settings.ts';
import { VARIABLES } from '../../src/config.ts';

describe('the settings of an agent', () => {
  it('are the variables that the agent reads, and no others', () => {
    const known = VARIABLES.map(({ name }) => name)
      .filter((name) => name.startsWith('LAL_'))
      .toSorted();
    expect([...AGENT_VARIABLES].toSorted()).toEqual(known);
  });

  it('are every LAL_ variable that is not empty', () => {
    const env = { LAL_MODEL: 'm', LAL_HOST: '', PATH: '/bin', HOB_NAME: 'a1' };
    expect(readSettings(env)).toEqual({
      name: 'a1',
      given: { LAL_MODEL: 'm' },
      unset: ['LAL_HOST'],
    });
  });

  it.each([
    [{ HOB_NAME: 'My Hob' }, 'HOB_NAME is "My Hob"'],
    [{ HOB_NAME: '-x' }, 'HOB_NAME'],
    [{ HOB_NAME: 'a'.repeat(113) }, 'HOB_NAME'],
    [{ LAL_HOST: 'localhost' }, 'LAL_HOST is "localhost"'],
    [{ LAL_HOST: 'ftp://x' }, 'LAL_HOST is "ftp://x"'],
    [{ LAL_HOTS: 'x' }, 'no setting LAL_HOTS'],
    [{ LAL_MAX_STEPS: 'many' }, 'LAL_MAX_STEPS is "many"'],
    [{ LAL_OPEN: 'bob, A' }, 'LAL_OPEN holds "A"'],
    [{ LAL_MAX_STEPS: '0' }, 'LAL_MAX_STEPS is "0"'],
  ])('refuses %j and names the variable', (env, text) => {
    expect(() => readSettings(env)).toThrow(text);
  });

  it('does not repeat a password that stands in a URL', () => {
    const read = () => readSettings({ LAL_HOST: 'https://u:hunter2@x/v1' });
    expect(read).toThrow('LAL_HOST has a user name or a password');
    expect(read).not.toThrow('hunter2');
  });
});
