import { makePromiseKit } from '@endo/promise-kit';
import { EXIT, reasonOf } from '../cli-error.ts';
import { canDecide, decide, isDecidingVerb } from './deciding.ts';
import type { DecidingVerb } from './deciding.ts';
import { isAtOnce, obey, parseCommand } from './talk-commands.ts';
import { GO_ON } from './talk-powers.ts';
import type { Step, Talk } from './talk-powers.ts';
import { awaitOutcome, leaving, speak } from './turns.ts';
import { makeWorks } from './works.ts';

/**
 * In a pipe nobody is there to decide, unless its next line does.
 *
 * @returns whether the talk ends here; if so, why has been said
 */
const endsForDecision = async (
  { conversation, screen, lines }: Talk,
  remark = '',
): Promise<boolean> => {
  if (lines.isTTY) return false;
  const open = await conversation.openDecisions();
  const [first] = open;
  if (first === undefined) return false;
  const numbers = open.map(({ number }) => `#${number}`).join(', ');
  const { number, type } = first;
  const yes =
    type === 'request' ? `resolve ${number} <name>` : `grant ${number}`;
  screen.note(
    `a decision is needed on ${numbers}: "npm run -s hob -- ${yes}" or "reject ${number}"${remark}`,
  );
  return true;
};

/**
 * Does some work. At a terminal a slip is told and the talk goes on; a script
 * has an end, and so has everything when the daemon is gone.
 */
const guarded = async (
  { lines, screen, session }: Talk,
  work: () => Promise<Step>,
): Promise<Step> => {
  try {
    return await Promise.race([work(), session.gone]);
  } catch (error) {
    if (!lines.isTTY) throw error;
    await Promise.race([session.gone, Promise.resolve()]);
    screen.note(reasonOf(error));
    return {};
  }
};

/** Takes lines and does what they say; resolves to the exit code. */
export const converse = async (talk: Talk): Promise<number> => {
  const { lines, interrupts, session, conversation, screen } = talk;
  const left = makePromiseKit<number>();
  const works = makeWorks(left.reject);
  let ended = false;
  const isOver = (): boolean => ended;
  let failed = false;

  const note = ({ leave, ...step }: Step): void => {
    if (leave !== undefined) left.resolve(leave);
    if (step.failed === true) failed = true;
  };

  /** In the order of the lines, its outcome before the next. */
  const inOrder = (work: () => Promise<Step>): void =>
    works.add(async () => {
      if (isOver()) return;
      const step = await guarded(talk, work);
      note(step);
      const { decided } = step;
      if (decided === undefined) return;
      note(await guarded(talk, () => awaitOutcome(talk, decided)));
    });

  const beside = (work: () => Promise<Step>): void =>
    works.beside(async () => {
      const step = await guarded(talk, work);
      note(step);
      const { decided } = step;
      if (decided !== undefined) inOrder(() => awaitOutcome(talk, decided));
    });

  /** While a turn runs, too; but what is typed ahead keeps its place. */
  const decideSoon = (verb: DecidingVerb, text: string): void => {
    const work = (): Promise<Step> => decide(talk, verb, text);
    if (!works.isBusy()) {
      inOrder(work);
      return;
    }
    const isNow = canDecide(talk, verb, text);
    beside(async () => ((await isNow) ? work() : GO_ON));
    inOrder(async () => ((await isNow) ? GO_ON : work()));
  };

  const say = (text: string): void =>
    inOrder(async () =>
      (await endsForDecision(talk, '; the lines that follow were not sent'))
        ? { leave: EXIT.decision }
        : speak(talk, text),
    );

  const quit = (): void => {
    if (works.isBusy()) {
      screen.note('leaving when that is done; Ctrl-C twice leaves now');
    }
    inOrder(async () => ({
      leave: (await endsForDecision(talk)) ? EXIT.decision : EXIT.ok,
    }));
  };

  const take = (line: string): void => {
    if (line.trim() === '') return;
    const command = parseCommand(line);
    if (command === undefined) {
      say(line.startsWith('//') ? line.slice(1) : line);
      return;
    }
    const { verb, text } = command;
    if (verb === 'quit' || verb === 'exit') quit();
    else if (isDecidingVerb(verb)) decideSoon(verb, text);
    else if (lines.isTTY && isAtOnce(verb))
      beside(() => obey(talk, verb, text));
    else inOrder(() => obey(talk, verb, text));
  };

  const readAll = async (): Promise<number> => {
    for (;;) {
      // The next line of a script may depend on what the last one led to.
      if (!lines.isTTY) await works.idle();
      if (isOver()) return EXIT.ok;
      const line = await lines.next();
      if (line === undefined) break;
      take(line);
    }
    await works.idle();
    if (isOver()) return EXIT.ok;
    if (await endsForDecision(talk)) return EXIT.decision;
    return failed && !lines.isTTY ? EXIT.error : EXIT.ok;
  };

  try {
    return await Promise.race([
      left.promise,
      readAll(),
      interrupts.left.then(() => leaving(talk).leave ?? EXIT.ok),
      session.gone,
      conversation.broken,
    ]);
  } finally {
    ended = true;
  }
};
harden(converse);
