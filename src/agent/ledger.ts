import type { AskedRef } from '../transcript/entry.ts';

/**
 * What one turn has done so far, as far as its end depends on it: whether the
 * correspondent was written to, whether the model wished for silence, and what
 * an honest report must name.
 */
export type Ledger = {
  /** A message left; `toCorrespondent` when it went to whom this turn serves. */
  readonly noteMessage: (toCorrespondent: boolean) => void;
  /** The model dismissed the message that it is answering. */
  readonly noteDismissWish: () => void;
  readonly noteAdopted: (number: bigint, edgeName: string) => void;
  /** Something was asked of others that is not decided yet. */
  readonly noteAsked: (asked: AskedRef) => void;
  /** A request or a counter-proposal was resolved or rejected by the model. */
  readonly noteDecided: (number: bigint) => void;
  /** A tool call has ended, in the order of the model's calls. */
  readonly noteCall: (call: {
    readonly name: string;
    readonly ok: boolean;
    readonly changes: boolean;
    /** It may have taken effect, and may yet: it timed out or was cancelled. */
    readonly inDoubt?: boolean;
  }) => void;
  /** The last thing that was done was a message to the correspondent. */
  readonly endedWithMessage: () => boolean;
  readonly messagedCorrespondent: () => boolean;
  readonly wishesSilence: () => boolean;
  readonly adoptedEdges: (number: bigint) => ReadonlySet<string>;
  readonly asked: () => readonly AskedRef[];
  readonly hasDecided: (number: bigint) => boolean;
  readonly decided: () => readonly bigint[];
  /** Names of the tools that changed something, with counts: `store ×2`. */
  readonly done: () => readonly string[];
};

/** Tools whose successful call is one message sent. */
const MESSAGE_TOOLS: ReadonlySet<string> = new Set(['send', 'reply']);

export const makeLedger = (): Ledger => {
  // Messages not yet matched with the tool call that sent them.
  const sent: boolean[] = [];
  const adopted = new Map<bigint, Set<string>>();
  const counts = new Map<string, number>();
  const doubtful = new Set<string>();
  const asked: AskedRef[] = [];
  const decided = new Set<bigint>();
  let wishesSilence = false;
  let messagedCorrespondent = false;
  let endedWithMessage = false;

  return harden({
    noteMessage: (toCorrespondent: boolean) => {
      sent.push(toCorrespondent);
      messagedCorrespondent ||= toCorrespondent;
    },
    noteDismissWish: () => {
      wishesSilence = true;
    },
    noteAdopted: (number: bigint, edgeName: string) => {
      const edges = adopted.get(number) ?? new Set();
      adopted.set(number, edges.add(edgeName));
    },
    noteAsked: (ask: AskedRef) => {
      asked.push(ask);
    },
    noteDecided: (number: bigint) => {
      decided.add(number);
    },
    noteCall: ({
      name,
      ok,
      changes,
      inDoubt = false,
    }: {
      readonly name: string;
      readonly ok: boolean;
      readonly changes: boolean;
      readonly inDoubt?: boolean;
    }) => {
      if (inDoubt && changes) doubtful.add(name);
      if (ok && changes) counts.set(name, (counts.get(name) ?? 0) + 1);
      // Putting mail away says nothing to anybody: it does not make a message
      // that came before it any less the answer.
      if (name === 'dismiss') return;
      endedWithMessage =
        ok && MESSAGE_TOOLS.has(name) ? sent.shift() === true : false;
    },
    // Said twice is better than not at all.
    endedWithMessage: () =>
      endedWithMessage &&
      ![...MESSAGE_TOOLS].some((name) => doubtful.has(name)),
    messagedCorrespondent: () => messagedCorrespondent,
    wishesSilence: () => wishesSilence,
    adoptedEdges: (number: bigint) => adopted.get(number) ?? new Set<string>(),
    asked: () => [...asked],
    hasDecided: (number: bigint) => decided.has(number),
    decided: () => [...decided],
    done: () => [
      ...[...counts].map(([name, count]) =>
        count === 1 ? name : `${name} ×${count}`,
      ),
      ...[...doubtful].map((name) => `${name} (outcome unknown)`),
    ],
  });
};
harden(makeLedger);
