import { makePromiseKit } from '@endo/promise-kit';
import type { Draft } from '../../src/endo/draft.ts';
import type { Mail } from '../../src/endo/guest.ts';
import type { Intent } from '../../src/endo/intent.ts';
import { type Outbox, makeOutbox } from '../../src/endo/outbox.ts';
import {
  CLASSES,
  HOST,
  SELF,
  classOf,
  contentOf,
  draftOf,
} from './outbox-drafts.ts';

/**
 * A daemon, its guest and the agent on it, in single steps: whatever can happen
 * next is a step, and a test chooses. What is checked at each step throws.
 */

/** Where a copy comes from: the draft, or another client of the same guest. */
type Origin = number | 'foreign';

type Copy = { readonly mail: Mail; readonly origin: Origin };

type Answer = { readonly deliver: () => void; readonly isRefusal: boolean };

export type ModelSettings = {
  /** Both mailboxes in one step, and nothing left over by a crash. */
  readonly atomic: boolean;
  /** What other clients send can say the same as what the agent sends. */
  readonly twins: boolean;
  /** Calls are refused, answers and copies lost, and time runs out. */
  readonly harsh: boolean;
};

export type Step = { readonly pick: number; readonly choice: number };

/** One draft of the agent's, through all of its incarnations. */
type Sending = {
  readonly name: string;
  readonly draft: Draft;
  /** The newest that is durable. */
  intent: Intent | undefined;
  /** Whose copy it has, as far as this incarnation knows. */
  claim: string | undefined;
  /** It has ended, as far as this incarnation knows. */
  ended: 'claimed' | 'failed' | undefined;
  /** All of that is durable. */
  durable: boolean;
};

const take = <T>(list: T[]): T => {
  const [first] = list.splice(0, 1);
  if (first === undefined) throw Error('There is nothing to take');
  return first;
};

const letAllHappen = async (): Promise<void> => {
  for (let count = 0; count < 60; count += 1) await Promise.resolve();
};

export const makeModel = ({ atomic, twins, harsh }: ModelSettings) => {
  // The daemon.
  const mailbox: Copy[] = [];
  const late: Copy[] = [];
  const received: { readonly name: string; readonly origin: Origin }[] = [];
  let numbers = 0n;
  let copies = 0;
  // The agent and the wire to it; gone with a crash.
  const calls: ((refuse: boolean) => void)[] = [];
  const answers: Answer[] = [];
  const decisions: Answer[] = [];
  const journaling: { durable: () => void; resolve: () => void }[] = [];
  const timers = new Set<() => void>();
  const sendings: Sending[] = [];
  const closed = Error('crash');
  let outbox: Outbox | undefined;
  let shown = 0;
  // Whether each copy must be claimed by the very draft that made it. After a
  // crash, or of a draft whose refusal was lost, one that says the same will do.
  let isExact = atomic && !twins;
  let incarnation = 0;

  const makeCopy = (name: string, origin: Origin, to = HOST): Copy => {
    copies += 1;
    const id = copies.toString(16);
    const mail = harden({
      ...{ number: -1n, messageId: id.padStart(64, 'f') },
      ...{ from: SELF, to, date: '2026-01-01T00:00:00.000Z' },
      ...contentOf(name),
    }) as Mail;
    return { mail, origin };
  };
  const arrive = ({ mail, origin }: Copy): void => {
    const numbered = harden({ ...mail, number: numbers });
    numbers += 1n;
    mailbox.push({ mail: numbered, origin });
  };
  const post = (name: string, origin: Origin): void => {
    received.push({ name, origin });
    const copy = makeCopy(name, origin);
    if (atomic) arrive(copy);
    else late.push(copy);
  };

  /** A call on its way to the daemon; its answer on the way back. */
  const call = <T>(
    work: () => T,
    into: (value: T) => Answer[] = () => answers,
  ): Promise<T> => {
    const { promise, resolve, reject } = makePromiseKit<T>();
    calls.push((refuse) => {
      if (refuse) {
        const deliver = (): void => reject(Error('refused'));
        answers.push({ deliver, isRefusal: true });
        return;
      }
      const value = work();
      into(value).push({ deliver: () => resolve(value), isRefusal: false });
    });
    return promise;
  };
  const leave = (index: number, isAsk: boolean): Promise<undefined> =>
    call(
      () => {
        post(sendings[index]?.name ?? '', index);
        return undefined;
      },
      () => (isAsk ? decisions : answers),
    );

  const claimed = (index: number, mail: Mail): void => {
    const sending = sendings[index];
    if (sending === undefined) throw Error('There is no such draft');
    const { messageId } = mail;
    const other = sendings.findIndex(({ claim }) => claim === messageId);
    if (other !== -1) throw Error(`Claimed twice: by ${other} and ${index}`);
    if (sending.claim !== undefined) throw Error('A draft has two copies');
    if (classOf(mail) !== sending.name || mail.to !== HOST) {
      throw Error(`Another's: ${classOf(mail)} for ${sending.name}`);
    }
    const copy = mailbox.find((each) => each.mail.messageId === messageId);
    if (!twins && copy?.origin === 'foreign') throw Error('Of a stranger');
    if (isExact && copy?.origin !== index) {
      throw Error(`The copy of ${String(copy?.origin)} for ${index}`);
    }
    sending.claim = messageId;
  };

  let departing = -1;
  const problems: unknown[] = [];
  const assertClaim = (index: number, mail: Mail): void => {
    try {
      claimed(index, mail);
    } catch (problem) {
      problems.push(problem);
    }
  };
  const begin = (index: number): void => {
    const sending = sendings[index];
    const life = incarnation;
    if (sending === undefined || outbox === undefined) return;
    const journal = (intent: Intent): Promise<void> => {
      // One leaves at a time: the next call is of this draft.
      departing = index;
      const { promise, resolve } = makePromiseKit<undefined>();
      const durable = (): void => {
        sending.intent = intent;
      };
      journaling.push({ durable, resolve: () => resolve(undefined) });
      return promise;
    };
    const onSeen = (mail: Mail): void => {
      if (life === incarnation) assertClaim(index, mail);
    };
    outbox.deliver(sending.draft, journal, onSeen).then(
      ({ messageId }) => {
        if (life !== incarnation) return;
        if (sending.claim !== messageId) problems.push('Resolved unseen');
        sending.ended = 'claimed';
      },
      () => {
        if (life === incarnation) sending.ended = 'failed';
      },
    );
  };
  /** As a turn that resumes: what is not over is traced, else done. */
  const resume = (index: number): void => {
    const sending = sendings[index];
    const life = incarnation;
    if (sending === undefined || sending.durable || outbox === undefined) {
      return;
    }
    if (sending.intent === undefined) {
      begin(index);
      return;
    }
    const isClaimed = (messageId: string): boolean =>
      sendings.some(({ durable, claim }) => durable && claim === messageId);
    outbox.trace(sending.intent, isClaimed).then(
      (mail) => {
        if (life !== incarnation) return;
        if (mail !== undefined) {
          assertClaim(index, mail);
          sending.ended = 'claimed';
        } else if (atomic) begin(index);
        else sending.ended = 'failed';
      },
      () => {
        if (life === incarnation) sending.ended = 'failed';
      },
    );
  };

  const start = (): void => {
    incarnation += 1;
    outbox = makeOutbox({
      guest: {
        identify: () => Promise.resolve(undefined),
        locate: ([name]) =>
          Promise.resolve({
            id: name === 'HOST' ? HOST : SELF,
            type: 'handle',
          }),
        send: () => leave(departing, false),
        reply: () => leave(departing, false),
        evaluate: () => leave(departing, true),
        request: () => leave(departing, true),
        listMessages: () => call(() => harden(mailbox.map(({ mail }) => mail))),
      },
      identity: { self: SELF, host: HOST },
      present: mailbox.map(({ mail }) => mail),
      assertMay: () => Promise.resolve(),
      startTimer: (_delayMs, fire) => {
        timers.add(fire);
        return () => timers.delete(fire);
      },
    });
    shown = 0;
    sendings.forEach((_, index) => resume(index));
  };

  const crash = (choice: number): void => {
    isExact = false;
    // What was on the wire has reached the daemon, or has not.
    for (const run of calls.splice(0, choice % (calls.length + 1))) run(false);
    for (const { durable } of journaling.splice(0, choice % 2)) durable();
    incarnation += 1;
    outbox?.close(closed);
    for (const list of [calls, answers, decisions, journaling]) list.length = 0;
    timers.clear();
    for (const sending of sendings) {
      if (sending.durable) continue;
      sending.claim = undefined;
      sending.ended = undefined;
    }
  };

  const showNext = (): void => {
    const copy = mailbox[shown];
    if (copy === undefined) return;
    shown += 1;
    outbox?.observe(copy.mail);
  };

  /** What can happen now. Faults are apart: without them all comes to its end. */
  const enabled = (faults: boolean): ((choice: number) => void)[] => {
    const steps: ((choice: number) => void)[] = [];
    if (calls.length > 0) steps.push(() => take(calls)(false));
    if (answers.length > 0) steps.push(() => take(answers).deliver());
    // One wire: a refusal is heard of before the copies that are made after it.
    if (shown < mailbox.length && !answers.some(({ isRefusal }) => isRefusal)) {
      steps.push(showNext);
    }
    if (late.length > 0) steps.push(() => arrive(take(late)));
    if (journaling.length > 0) {
      steps.push(() => {
        const { durable, resolve } = take(journaling);
        durable();
        resolve();
      });
    }
    const undurable = sendings.filter(
      ({ ended, durable }) => ended !== undefined && !durable,
    );
    if (undurable.length > 0) {
      steps.push((choice) => {
        const sending = undurable[choice % undurable.length];
        if (sending !== undefined) sending.durable = true;
      });
    }
    if (!faults) return steps;
    steps.push(
      (choice) => {
        if (sendings.length >= 8) return;
        const name = CLASSES[choice % CLASSES.length] ?? '';
        const ended = { intent: undefined, claim: undefined, ended: undefined };
        const draft = draftOf(name, sendings.length);
        sendings.push({ name, draft, ...ended, durable: false });
        begin(sendings.length - 1);
      },
      (choice) => {
        const name = CLASSES[choice % CLASSES.length] ?? '';
        arrive(makeCopy(name, 'foreign', twins ? HOST : 'somebody else'));
      },
      (choice) => {
        if (choice % 3 !== 0) return;
        crash(Math.floor(choice / 3));
        start();
      },
    );
    if (decisions.length > 0) steps.push(() => take(decisions).deliver());
    if (!harsh) return steps;
    if (calls.length > 0) steps.push(() => take(calls)(true));
    if (answers.length > 0) {
      steps.push(() => {
        if (take(answers).isRefusal) isExact = false;
      });
    }
    if (late.length > 0) steps.push(() => void take(late));
    if (timers.size > 0) steps.push(() => [...timers][0]?.());
    return steps;
  };

  const step = async (
    { pick, choice }: Step,
    faults: boolean,
  ): Promise<boolean> => {
    const steps = enabled(faults);
    const run = steps[pick % steps.length];
    run?.(choice);
    await letAllHappen();
    if (problems.length > 0) throw problems[0];
    return run !== undefined;
  };

  start();
  return harden({
    step: (chosen: Step) => step(chosen, true),
    /** Lets everything come to its end, in some order, without any more faults. */
    finish: async () => {
      for (let pick = 0; pick < 2000; pick += 1) {
        const went = await step({ pick, choice: pick }, false);
        if (went) continue;
        if (timers.size === 0) break;
        for (const fire of [...timers]) fire();
        await letAllHappen();
      }
    },
    sendings: () => sendings,
    /** Of one class: what the recipient has got from the agent. */
    delivered: (name: string) =>
      received.filter((each) => each.name === name).length,
    copies: () => mailbox,
  });
};
