import type { Guarantees, Guest, Mail } from '../endo/guest.ts';
import type { AdmittedPath, NameGate } from '../endo/name-gate.ts';
import { movedText, removedText } from '../guest-tools/directory.ts';
import { dismissedText, repliedText, sentText } from '../guest-tools/mail.ts';
import { proposedResult } from '../guest-tools/proposals.ts';
import {
  rejectedText,
  requestedResult,
  resolvedText,
} from '../guest-tools/requests.ts';
import type { ToolCall } from '../model/chat.ts';
import type { KnownOutcome } from '../tool/dispatch.ts';
import type { Effect } from '../tool/fae-tool.ts';
import type { RecordedStep } from '../transcript/recorded.ts';
import { INTERRUPTED } from '../transcript/repair.ts';
import type { CallNotes } from './call-notes.ts';
import type { TurnRecord } from './turn-record.ts';

/**
 * What must not happen twice: noted before it runs, and after a crash looked
 * for before it runs again.
 */

type Args = { readonly [name: string]: unknown };

export type CallEffectsPowers = {
  readonly guest: Pick<Guest, 'identify' | 'listMessages'>;
  readonly names: NameGate;
  readonly guarantees: Guarantees;
  /** Handle id of whom the turn serves. */
  readonly correspondent: string;
  readonly record: Pick<TurnRecord, 'write' | 'traced'>;
  /** Of an answer that an earlier incarnation began to act on. */
  readonly past: RecordedStep | undefined;
};

/** Tools that leave by the outbox, which notes and finds what they sent. */
const MAIL_TOOLS: ReadonlySet<string> = new Set([
  ...['send', 'reply', 'request', 'evaluate'],
]);

const UNKNOWN: KnownOutcome = harden({ type: 'unknown', content: INTERRUPTED });
const done = (value: unknown): KnownOutcome => ({ type: 'done', value });

/** Between what was there before and what is there now. */
type Finding = 'run' | 'unknown' | { readonly done: unknown };

/** How a tool is known again that does not leave by the outbox. */
type Probe = {
  /** Ids that tell afterwards whether it happened; '' for what is not there. */
  readonly before: (args: Args) => Promise<readonly string[]>;
  readonly after: (args: Args, before: readonly string[]) => Promise<Finding>;
};

const makeProbes = ({
  guest,
  names,
}: CallEffectsPowers): ReadonlyMap<string, Probe> => {
  const pathOf = (given: unknown): Promise<AdmittedPath | undefined> =>
    // What the gate refuses, the tool itself will refuse.
    names.admit(given).catch(() => undefined);
  const idAt = async (given: unknown): Promise<string> => {
    const path = await pathOf(given);
    return path === undefined ? '' : ((await guest.identify(path)) ?? '');
  };
  const shown = async (given: unknown): Promise<AdmittedPath> =>
    names.admit(given);
  const mailAt = async (number: unknown): Promise<Mail | undefined> =>
    (await guest.listMessages()).find((mail) => mail.number === number);

  const move: Probe = {
    before: ({ fromPath, toPath }) =>
      Promise.all([idAt(fromPath), idAt(toPath)]),
    after: async ({ fromPath, toPath }, [moved = '']) => {
      if ((await idAt(fromPath)) === moved) return 'run';
      if ((await idAt(toPath)) !== moved) return 'unknown';
      return { done: movedText(await shown(fromPath), await shown(toPath)) };
    },
  };
  const remove: Probe = {
    before: async ({ petNamePath }) => [await idAt(petNamePath)],
    after: async ({ petNamePath }, [removed = '']) => {
      const now = await idAt(petNamePath);
      if (now === removed) return 'run';
      if (now !== '') return 'unknown';
      return { done: removedText(await shown(petNamePath)) };
    },
  };
  const decide = (
    state: string,
    textOf: (args: Args) => Promise<string>,
  ): Probe => ({
    before: async ({ messageNumber }) => [
      (await mailAt(messageNumber))?.messageId ?? '',
    ],
    after: async (args) => {
      const mail = await mailAt(args['messageNumber']);
      const now =
        mail !== undefined && 'state' in mail ? mail.state : undefined;
      if (now === 'open') return 'run';
      return now === state ? { done: await textOf(args) } : 'unknown';
    },
  });
  const numberOf = ({ messageNumber }: Args): bigint => messageNumber as bigint;

  return new Map<string, Probe>([
    ['move', move],
    ['remove', remove],
    [
      'resolve',
      decide('granted', async (args) =>
        resolvedText(numberOf(args), await shown(args['petName'])),
      ),
    ],
    [
      'reject',
      decide('rejected', (args) =>
        Promise.resolve(rejectedText(numberOf(args))),
      ),
    ],
  ]);
};

/** The result that the call would have had, of which the message was found. */
const resultOf = async (
  { names, past }: CallEffectsPowers,
  call: ToolCall,
  args: Args,
  mail: Mail,
): Promise<unknown> => {
  const resultName = past?.intents.get(call.id)?.resultName;
  switch (call.name) {
    case 'send':
      return sentText(await names.admit(args['recipientName']));
    case 'reply':
      return repliedText(args['messageNumber'] as bigint);
    case 'evaluate':
      return proposedResult(mail.number, resultName);
    default:
      return requestedResult(mail.number, resultName);
  }
};

const noteFound = (
  { correspondent }: CallEffectsPowers,
  { ledger, noteSent }: CallNotes,
  mail: Mail,
): void => {
  const { number } = mail;
  switch (mail.type) {
    case 'package':
      noteSent(mail);
      ledger.noteMessage(mail.to === correspondent);
      break;
    case 'proposal':
      ledger.noteAsked({ kind: mail.type, number, source: mail.source });
      break;
    case 'request':
      ledger.noteAsked({ kind: mail.type, number });
      break;
    default:
  }
};

/**
 * Asked before each call: what is known of it from before a crash. Notes the
 * beginning of what must not happen twice.
 */
export const makeCallEffects = (powers: CallEffectsPowers) => {
  const { guarantees, record, past } = powers;
  const probes = makeProbes(powers);

  /** To dismiss what is gone is an error, but for who has dismissed it. */
  const ofDismissal = async (
    number: unknown,
  ): Promise<KnownOutcome | undefined> => {
    const inbox = await powers.guest.listMessages();
    return inbox.some((mail) => mail.number === number)
      ? undefined
      : done(dismissedText(number as bigint));
  };

  const ofMail = async (
    call: ToolCall,
    args: Args,
    notes: CallNotes,
  ): Promise<KnownOutcome | undefined> => {
    if (past?.intents.has(call.id) !== true) return undefined;
    const mail = record.traced(call.id);
    if (mail !== undefined) {
      noteFound(powers, notes, mail);
      return done(await resultOf(powers, call, args, mail));
    }
    // Where mail is atomic, what is not there has never left.
    return guarantees.mail === 'exactly-once' ? undefined : UNKNOWN;
  };

  const ofStarted = async (
    call: ToolCall,
    args: Args,
    before: readonly string[],
    notes: CallNotes,
  ): Promise<KnownOutcome | undefined> => {
    const probe = probes.get(call.name);
    const found = await probe?.after(args, before);
    if (found === 'run') return undefined;
    if (found === undefined || found === 'unknown') return UNKNOWN;
    const number = args['messageNumber'];
    if (typeof number === 'bigint') notes.ledger.noteDecided(number);
    return done(found.done);
  };

  return async (
    call: ToolCall,
    effect: Effect,
    args: Args,
    notes: CallNotes,
  ): Promise<KnownOutcome | undefined> => {
    if (call.name === 'dismiss' && past !== undefined) {
      return ofDismissal(args['messageNumber']);
    }
    if (effect !== 'once') return undefined;
    if (MAIL_TOOLS.has(call.name)) return ofMail(call, args, notes);
    const before = past?.starts.get(call.id);
    if (before !== undefined) return ofStarted(call, args, before, notes);
    const ids = (await probes.get(call.name)?.before(args)) ?? [];
    await record.write({ type: 'start', callId: call.id, ids });
    return undefined;
  };
};
harden(makeCallEffects);
