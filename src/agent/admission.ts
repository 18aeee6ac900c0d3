import type { Correspondents } from '../endo/correspondent.ts';
import type { Mail } from '../endo/guest.ts';
import type { Usage } from '../model/chat.ts';
import type { DailyBudget } from './daily-budget.ts';
import { exchangesNotice, guestBudgetNotice } from './notice.ts';
import { type Post, textParcel } from './post.ts';

/** Whether a message gets a turn. */
export type Admission =
  | { readonly type: 'admitted' }
  /** Answered with this, and over. */
  | { readonly type: 'declined'; readonly text: string }
  /** No answer; it is put away. */
  | { readonly type: 'ended' }
  /** It stays in the inbox until there is a budget again. */
  | { readonly type: 'held' };

/** What keeps mail of others than the HOST from costing without end. */
export type Doorkeeper = {
  readonly admit: (
    mail: Pick<Mail, 'from'>,
    conversation: {
      /** `messageId` of its first message. */
      readonly root: string;
      /** Automatic answers on the way from there to this message. */
      readonly exchanges: number;
    },
  ) => Promise<Admission>;
  readonly spent: (sender: string, usage: Usage) => void;
  /** The sender is the HOST, or was opened by the HOST. */
  readonly isTrusted: (sender: string) => boolean;
};

/** Conversations whose answers are counted; those that rest longest go first. */
const MOST_COUNTED = 1000;

/**
 * Answers by conversation. A chain alone does not tell: who sends two messages
 * a turn, and gets two for each, has chains that are short and a conversation
 * that doubles.
 */
const makeAnswerCounts = () => {
  const counts = new Map<string, number>();
  return {
    /** @param exchanges - those of the chain, which may be from before */
    of: (root: string, exchanges: number): number =>
      Math.max(exchanges, counts.get(root) ?? 0),
    set: (root: string, count: number): void => {
      counts.delete(root);
      counts.set(root, count);
      const oldest = counts.keys().next().value;
      if (counts.size > MOST_COUNTED && oldest !== undefined) {
        counts.delete(oldest);
      }
    },
  };
};

export const makeDoorkeeper = ({
  host,
  open,
  budget,
  maxExchanges,
  correspondents,
  post,
}: {
  readonly host: string;
  /** Handle ids of those who are served as the HOST is. */
  readonly open: ReadonlySet<string>;
  readonly budget: DailyBudget;
  readonly maxExchanges: number;
  readonly correspondents: Pick<Correspondents, 'describe'>;
  readonly post: Post;
}): Doorkeeper => {
  const told = new Set<string>();
  const answers = makeAnswerCounts();
  const isFirst = (occasion: string): boolean => {
    const first = !told.has(occasion);
    told.add(occasion);
    return first;
  };
  const isTrusted = (sender: string): boolean =>
    sender === host || open.has(sender);

  const tellHost = async (
    mail: Pick<Mail, 'from'>,
    exchanges: number,
  ): Promise<void> => {
    const sender = await correspondents.describe(mail.from);
    const text = exchangesNotice(sender, exchanges);
    await post.send(['HOST'], textParcel(text), undefined);
  };

  return harden({
    isTrusted,
    spent: (sender: string, { input, output }: Usage) => {
      if (!isTrusted(sender)) budget.spent(input + output);
    },
    admit: async (
      mail: Pick<Mail, 'from'>,
      {
        root,
        exchanges,
      }: { readonly root: string; readonly exchanges: number },
    ): Promise<Admission> => {
      if (mail.from === host) return { type: 'admitted' };
      // Those whom the HOST opened are programs too: two of them would talk on.
      const answered = answers.of(root, exchanges);
      if (answered >= maxExchanges) {
        if (isFirst(`exchanges ${root}`)) await tellHost(mail, answered);
        return { type: 'ended' };
      }
      if (isTrusted(mail.from) || !budget.isExhausted()) {
        answers.set(root, answered + 1);
        return { type: 'admitted' };
      }
      return isFirst(`budget ${budget.day()} ${mail.from}`)
        ? { type: 'declined', text: guestBudgetNotice() }
        : { type: 'held' };
    },
  });
};
harden(makeDoorkeeper);
