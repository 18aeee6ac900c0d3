import { describe, expect, it } from 'vitest';
import { daemonPaths } from '../../../daemon/connection/paths.ts';

const home = '/home/ada';

describe('the paths of a daemon', () => {
  it('follow XDG, the socket in the runtime directory', () => {
    const env = { XDG_STATE_HOME: '/state', XDG_RUNTIME_DIR: '/run/user/7' };
    expect(daemonPaths({ env, home })).toEqual({
      statePath: '/state/hob',
      socketPath: '/run/user/7/hob/hob.sock',
      logPath: '/state/hob/daemon.log',
      databasePath: '/state/hob/hob.sqlite',
    });
  });

  it('lie under the home directory when XDG says nothing', () => {
    const paths = daemonPaths({ env: { XDG_STATE_HOME: '' }, home });
    expect(paths.statePath).toBe('/home/ada/.local/state/hob');
    expect(paths.socketPath).toBe('/home/ada/.local/state/hob/hob.sock');
  });

  it('keep the socket beside a state of its own, so that daemons can be side by side', () => {
    const env = { HOB_STATE_PATH: '/one', XDG_RUNTIME_DIR: '/run/user/7' };
    expect(daemonPaths({ env, home }).socketPath).toBe('/one/hob.sock');
  });

  it('take HOB_SOCK before all else', () => {
    const env = { HOB_STATE_PATH: '/one', HOB_SOCK: '/two.sock' };
    expect(daemonPaths({ env, home }).socketPath).toBe('/two.sock');
  });

  it.each([
    ['linux', 107],
    ['darwin', 103],
  ] as const)(
    'refuse a socket that the kernel of %s would cut off',
    (platform, limit) => {
      const ofLength = (length: number) =>
        daemonPaths({
          env: { HOB_SOCK: `/${'é'.repeat(20)}`.padEnd(length - 20, 'x') },
          home,
          platform,
        });
      expect(Buffer.byteLength(ofLength(limit).socketPath)).toBe(limit);
      expect(() => ofLength(limit + 1)).toThrow(
        `${limit + 1} bytes, and the system takes at most ${limit}. Set HOB_SOCK`,
      );
    },
  );
});
