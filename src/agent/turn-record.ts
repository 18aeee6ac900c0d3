import type { Mail } from '../endo/guest.ts';
import type { JournalRecord } from '../transcript/entry.ts';
import type { Journal } from '../transcript/journal.ts';
import type { RecordedTurn } from '../transcript/recorded.ts';

/** The journal of one turn, with what an earlier incarnation left in it. */
export type TurnRecord = {
  /** What was done before this incarnation. */
  readonly past: RecordedTurn;
  /** The own copy of an intent from before: a call's, or the closing reply's. */
  readonly traced: (key: string) => Mail | undefined;
  readonly traces: () => readonly Mail[];
  /** Written with what is written next, in one entry. */
  readonly hold: (record: JournalRecord) => void;
  /** Resolves when these and all that was held are durable. */
  readonly write: (...records: readonly JournalRecord[]) => Promise<void>;
  /** Resolves when every answer of the model that was held is durable. */
  readonly keepAnswers: () => Promise<void>;
  /** When the turn is a node. */
  readonly remove: () => Promise<void>;
};

export const makeTurnRecord = (
  journal: Journal,
  past: RecordedTurn,
  traces: ReadonlyMap<string, Mail>,
): TurnRecord => {
  let held: JournalRecord[] = [];

  const write = async (...records: readonly JournalRecord[]): Promise<void> => {
    const before = held;
    held = [];
    if (before.length + records.length === 0) return;
    try {
      await journal.append([...before, ...records]);
    } catch (error) {
      held = [...before, ...held];
      throw error;
    }
  };

  return harden({
    past,
    traced: (key: string) => traces.get(key),
    traces: () => [...traces.values()],
    hold: (record: JournalRecord) => {
      held.push(record);
    },
    write,
    keepAnswers: async () => {
      if (held.some(({ type }) => type === 'answer')) await write();
    },
    remove: journal.remove,
  });
};
harden(makeTurnRecord);
