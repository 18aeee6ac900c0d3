import { describe, expect, it } from 'vitest';
import { AGENT_VARIABLES, readSettings } from '../../setup/settings.ts';
import { parseConfig } from '../../src/config.ts';
import { VARIABLES } from '../../src/variables.ts';

describe('the settings of an agent', () => {
  it('are the variables that the agent reads, and no others', () => {
    const known = VARIABLES.map(({ name }) => name).toSorted();
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
    [{ LAL_CONTEXT_TOKENS: '32k' }, 'LAL_CONTEXT_TOKENS is "32k"'],
    [{ LAL_MAX_MESSAGES: '0' }, 'LAL_MAX_MESSAGES is "0"'],
    [{ LAL_PROVIDER: 'gemini' }, 'LAL_PROVIDER is "gemini"'],
    [{ HOB_NAEM: 'x' }, 'no setting HOB_NAEM'],
    [{ LAL_HOTS: '' }, 'no setting LAL_HOTS'],
    [{ HOB_EVAL_TIMEOUT_MS: '1m' }, 'HOB_EVAL_TIMEOUT_MS is "1m"'],
  ])('refuses %j and names the variable', (env, text) => {
    expect(() => readSettings(env)).toThrow(text);
  });

  it('does not repeat a password that stands in a URL', () => {
    const read = () => readSettings({ LAL_HOST: 'https://u:hunter2@x/v1' });
    expect(read).toThrow('LAL_HOST has a user name or a password');
    expect(read).not.toThrow('hunter2');
  });

  it.each(VARIABLES.map(({ name }) => name))(
    'refuses for %s what the agent refuses',
    (name) => {
      const isRefused = (read: () => unknown): boolean => {
        try {
          read();
          return false;
        } catch {
          return true;
        }
      };
      const values = ['', '0', '1', '-1', '1.5', '99999999999', 'a b', 'A é'];
      for (const value of [...values, 'ollama', 'http://x', 'ftp://x']) {
        const env = { LAL_HOST: 'http://localhost', [name]: value };
        const { given } = isRefused(() => readSettings(env))
          ? { given: undefined }
          : readSettings(env);
        expect(given === undefined, `${name}=${value}`).toBe(
          isRefused(() => parseConfig(env)),
        );
      }
    },
  );

  it('do not repeat a key that is malformed', () => {
    const read = () => readSettings({ LAL_AUTH_TOKEN: 'hunter2 or so' });
    expect(read).toThrow('LAL_AUTH_TOKEN has a character that no key has');
    expect(read).not.toThrow('hunter2');
  });
});
