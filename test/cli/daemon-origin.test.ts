import { describe, expect, it } from 'vitest';
import {
  compareDaemon,
  otherDaemonNote,
  parseOrigin,
} from '../../cli/daemon-origin.ts';
import type { Files } from '../../cli/files.ts';

const OWN = { version: '0.2.0', source: '/here/daemon/main.ts' };

const powers = (files: readonly string[] = []) => ({
  program: OWN,
  files: {
    findFile: (url: string) =>
      Promise.resolve(files.includes(url) ? url : undefined),
  } as Files,
});

const answer = (version: string, source: string) => ({
  pong: true,
  version,
  source,
  pid: 7,
  node: 'n',
  clients: 3,
});

describe('which program a daemon is', () => {
  it.each([[undefined], ['pong'], [null], [{ pong: true }]])(
    'is not known of one that answers %j, and it is none of ours',
    (ping) => {
      expect(parseOrigin(ping)).toBe(undefined);
    },
  );

  it('is told with how many others are connected', () => {
    expect(parseOrigin(answer('0.2.0', '/x'))).toMatchObject({ others: 2 });
  });

  it('is no news when it is this one, or none of ours', async () => {
    const same = parseOrigin(answer(OWN.version, OWN.source));
    expect(await compareDaemon(powers(), same)).toBe(undefined);
    expect(await compareDaemon(powers(), undefined)).toBe(undefined);
  });

  it('is another one of this folder after an upgrade', async () => {
    const older = parseOrigin(answer('0.1.0', OWN.source));
    const found = await compareDaemon(powers([`file://${OWN.source}`]), older);
    expect(found).toMatchObject({ isHere: true, isGone: false });
  });

  it('is another one where the folder is another, there or gone', async () => {
    const other = parseOrigin(answer(OWN.version, '/there/daemon/main.ts'));
    const there = powers(['file:///there/daemon/main.ts']);
    expect(await compareDaemon(there, other)).toMatchObject({
      isHere: false,
      isGone: false,
    });
    const gone = await compareDaemon(powers(), other);
    expect(gone).toMatchObject({ isHere: false, isGone: true });
  });

  it('is said with both, and the command that replaces it', async () => {
    const other = parseOrigin(answer('0.1.0', '/there/daemon/main.ts'));
    const found = await compareDaemon(powers(), other);
    expect(found && otherDaemonNote(powers(), found)).toBe(
      'the daemon that runs is another program (Hob 0.1.0, /there/daemon/main.ts, which is gone) than this one (Hob 0.2.0, /here/daemon/main.ts); to replace it: npm run -s hob -- start --replace',
    );
  });
});
