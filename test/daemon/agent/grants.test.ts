import { describe, expect, it } from 'vitest';
import type { RunCode } from '../../../daemon/agent/code-runs.ts';
import { makeGrants, type GrantPowers } from '../../../daemon/agent/grants.ts';
import type { NumberedMessage } from '../../../daemon/store/mailboxes.ts';

const body = harden({
  source: '1',
  codeNames: [],
  petNamePaths: [],
  edgeNames: [],
  ids: [],
  worker: 'worker',
  resultId: 'promise',
  resolverId: 'resolver',
});

/** Grants of one proposal, with a log of what is written, and when code runs. */
const setUp = (runCode: RunCode) => {
  const written: string[] = [];
  const powers = {
    database: { transact: <T>(work: () => T): T => work() },
    collector: { hold: () => () => written.push('let go') },
    answers: {
      fulfill: (_: string, value: string) => written.push(`fulfil ${value}`),
      refuse: (_: string, reason: string) => written.push(`refuse: ${reason}`),
    },
    decisions: {
      requireOpen: () => ({ message: {} as NumberedMessage, body }),
    },
    proposals: {
      move: (_: string, state: string) => written.push(state),
      running: () => ['promise'],
    },
    runCode: (...args: Parameters<RunCode>) => {
      written.push('run');
      return runCode(...args);
    },
    log: () => undefined,
  };
  return { written, grants: makeGrants(powers as unknown as GrantPowers) };
};

describe('a grant', () => {
  it('is written before the code runs, and its result when it has run', async () => {
    const { written, grants } = setUp(async (_, settle) => {
      settle({ isData: true, keep: () => 'value' });
      return Promise.resolve(1);
    });
    await expect(grants.grant('host', 0n)).resolves.toBe(1);
    expect(written).toEqual([
      'running',
      'run',
      'granted',
      'fulfil value',
      'let go',
    ]);
  });

  it('of code that fails says why, in a text that is bounded', async () => {
    const { written, grants } = setUp(() =>
      Promise.reject(Error('x'.repeat(20_000))),
    );
    const reason = `granted, but the code failed: ${'x'.repeat(10_000)}…`;
    await expect(grants.grant('host', 0n)).rejects.toThrow(reason);
    expect(written.slice(2)).toEqual(['failed', `refuse: ${reason}`, 'let go']);
  });

  it('whose code ends with the daemon is not written as failed', async () => {
    const { written, grants } = setUp(() =>
      Promise.reject(Error('the worker was stopped')),
    );
    const granted = grants.grant('host', 0n);
    grants.stop();
    await expect(granted).rejects.toThrow('lost: the daemon was stopped');
    expect(written).toEqual(['running', 'run']);
  });

  it('that was running when the daemon ended is lost', () => {
    const { written, grants } = setUp(() => Promise.resolve());
    grants.recover();
    expect(written).toEqual([
      'lost',
      expect.stringMatching(/^refuse: lost: the daemon was stopped/u),
    ]);
  });
});
