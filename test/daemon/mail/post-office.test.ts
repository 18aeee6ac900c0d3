import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { provideFoundation } from '../../../daemon/agent/foundation.ts';
import { makeMailSignals } from '../../../daemon/mail/mail-signals.ts';
import { makePostOffice } from '../../../daemon/mail/post-office.ts';
import { makeNameEvents } from '../../../daemon/name/name-events.ts';
import { makeNameHubs } from '../../../daemon/name/name-hubs.ts';
import { makeCollector } from '../../../daemon/store/collector.ts';
import { openDatabase } from '../../../daemon/store/database.ts';
import { makeFormulaStore } from '../../../daemon/store/formulas.ts';
import { makeMailboxStore } from '../../../daemon/store/mailboxes.ts';
import { makeNameStore } from '../../../daemon/store/names.ts';
import { makePromiseStore } from '../../../daemon/store/promises.ts';

const makeRandomHex = () => {
  let count = 0;
  return (bytes: number): string =>
    (count += 1).toString(16).padStart(2 * bytes, '0');
};

/** A post office on a real database, whose `fails`th delivery throws. */
const setUp = (fails: number) => {
  const path = mkdtempSync(join(tmpdir(), 'hob-'));
  const database = openDatabase(join(path, 'hob.sqlite'), () => undefined);
  onTestFinished(() => {
    database.close();
    rmSync(path, { recursive: true });
  });
  const formulas = makeFormulaStore(database);
  const names = makeNameStore(database);
  const real = makeMailboxStore(database);
  const promises = makePromiseStore(database);
  const { ids, host, endo } = provideFoundation(
    database,
    formulas,
    makeRandomHex(),
  );
  const collector = makeCollector({
    database,
    formulas,
    names,
    mailboxes: real,
    root: endo,
  });
  const events = makeNameEvents();
  const hubs = makeNameHubs({
    database,
    formulas,
    names,
    promises,
    collector,
    events,
  });
  let deliveries = 0;
  const mailboxes = {
    ...real,
    deliver: (handle: string, messageId: string): bigint => {
      deliveries += 1;
      if (deliveries === fails) throw Error('the disk is full');
      return real.deliver(handle, messageId);
    },
  };
  const signals = makeMailSignals();
  const now = () => '2026-01-02T03:04:05.678Z';
  const office = makePostOffice({
    database,
    mailboxes,
    collector,
    hubs,
    ids,
    signals,
    now,
  });
  const other = ids.makeFormulaId();
  database.transact(() => {
    formulas.put(other, { type: 'handle', agent: host });
    collector.hold(other);
  });
  return { office, mailboxes, from: office.handleOf(host), to: other, signals };
};

describe('the post office', () => {
  it('puts a message into both mailboxes, dated by its clock', () => {
    const { office, mailboxes, from, to } = setUp(0);
    const messageId = office.post({
      type: 'package',
      from,
      to,
      body: {},
      values: [],
    });
    for (const handle of [from, to]) {
      expect(mailboxes.list(handle)).toMatchObject([
        { number: 0n, messageId, date: '2026-01-02T03:04:05.678Z' },
      ]);
    }
  });

  it.each([1, 2])('puts it into neither when delivery %i fails', (fails) => {
    const { office, mailboxes, from, to } = setUp(fails);
    const post = () =>
      office.post({ type: 'package', from, to, body: {}, values: [] });
    expect(post).toThrow('the disk is full');
    expect(mailboxes.list(from)).toEqual([]);
    expect(mailboxes.list(to)).toEqual([]);
    // Nor was a number used up.
    post();
    expect(mailboxes.list(to)).toMatchObject([{ number: 0n }]);
  });

  it('wakes nobody for mail that was not delivered', async () => {
    const { office, from, to, signals } = setUp(2);
    let woken = false;
    const waiting = signals.changed(to).then(() => {
      woken = true;
    });
    const post = () =>
      office.post({ type: 'package', from, to, body: {}, values: [] });
    expect(post).toThrow('the disk is full');
    await Promise.resolve();
    expect(woken).toBe(false);
    post();
    await waiting;
    expect(woken).toBe(true);
  });
});
