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
const setUp = (
  runCode: RunCode,
  provideValues = (): Promise<readonly unknown[]> => Promise.resolve([]),
) => {
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
    provideValues: () => {
      written.push('values');
      return provideValues();
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
      'values',
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
    expect(written.slice(3)).toEqual(['failed', `refuse: ${reason}`, 'let go']);
  });

  it('whose code ends with the daemon is not written as failed', async () => {
    let fail = (): void => undefined;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { written, grants } = setUp(() => {
      begin();
      return new Promise((_, reject) => {
        fail = () => reject(Error('the worker was stopped'));
      });
    });
    const granted = grants.grant('host', 0n);
    await begun;
    grants.stop();
    fail();
    await expect(granted).rejects.toThrow('lost: the daemon was stopped');
    expect(written).toEqual(['values', 'running', 'run']);
  });

  it('runs the code on the values that were made for it', async () => {
    const given: unknown[] = [];
    const { grants } = setUp(
      (_, settle, values) => {
        given.push(values);
        settle({ isData: true, keep: () => 'value' });
        return Promise.resolve(1);
      },
      () => Promise.resolve(['a value']),
    );
    await grants.grant('host', 0n);
    expect(given).toEqual([['a value']]);
  });

  it('leaves the proposal open when a value of it cannot be had', async () => {
    const { written, grants } = setUp(
      () => Promise.resolve(),
      () => Promise.reject(Error('it is gone')),
    );
    await expect(grants.grant('host', 7n)).rejects.toThrow(
      'The proposal in message 7 was not granted: it is gone. Nothing ran, and it is still open',
    );
    expect(written).toEqual(['values']);
  });

  it('leaves the proposal open when the daemon stops before its values are there', async () => {
    const { written, grants } = setUp(() => Promise.resolve());
    const granted = grants.grant('host', 7n);
    grants.stop();
    await expect(granted).rejects.toThrow('the daemon stops. It is still open');
    expect(written).toEqual(['values']);
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
