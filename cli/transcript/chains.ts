import {
  type Archive,
  isPointer,
  isTurn,
  type Stored,
  type Turn,
} from './archive.ts';

/** From the beginning of a conversation to one of its turns. */
export type Chain = {
  readonly turns: readonly Turn[];
  /** A turn that is not stored, or cannot be read: what came before is not known. */
  readonly missing?: string;
};

/**
 * Follows a chain to its beginning. Its links are the guest's word: they may
 * lead nowhere, or in a circle, which counts as leading nowhere.
 */
export const readChain = async (
  { get }: Pick<Archive, 'get'>,
  leafId: string,
): Promise<Chain> => {
  const turns: Turn[] = [];
  const seen = new Set<string>();
  let next: string | null = leafId;
  while (next !== null) {
    const stored: Stored | undefined = seen.has(next)
      ? undefined
      : await get(next);
    if (stored === undefined) {
      return harden({ turns: turns.reverse(), missing: next });
    }
    seen.add(next);
    if (isPointer(stored)) next = stored.pointsTo;
    else {
      turns.push(stored);
      if (stored.state === 'unreadable') {
        return harden({ turns: turns.reverse(), missing: next });
      }
      next = stored.parentMessageId;
    }
  }
  return harden({ turns: turns.reverse() });
};
harden(readChain);

/** All branches that have a beginning in common. */
export type Conversation = {
  readonly root: Turn;
  /** What the root goes on from, and is not stored; itself, if it cannot be read. */
  readonly missing?: string;
  /** The root first, each after the one it goes on from. */
  readonly turns: readonly Turn[];
  /** messageId → the turns that go on from it, oldest first. */
  readonly children: ReadonlyMap<string, readonly Turn[]>;
};

const byNumber = (a: Turn, b: Turn): number => {
  const [left = -1n, right = -1n] = [a.number, b.number];
  if (left !== right) return left < right ? -1 : 1;
  return a.messageId < b.messageId ? -1 : 1;
};

/** The turn that it goes on from; the missing id; or null for a beginning. */
const parentIn = (
  stored: ReadonlyMap<string, Stored>,
  { messageId, parentMessageId, state }: Turn,
): Turn | string | null => {
  if (state === 'unreadable') return messageId;
  const seen = new Set<string>();
  let next = parentMessageId;
  while (next !== null) {
    const found = seen.has(next) ? undefined : stored.get(next);
    if (found === undefined) return next;
    if (!isPointer(found)) return found;
    seen.add(next);
    next = found.pointsTo;
  }
  return null;
};

const descendants = (
  root: Turn,
  children: Conversation['children'],
): readonly Turn[] => {
  const found: Turn[] = [];
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next);
    waiting.push(...(children.get(next.messageId) ?? []));
  }
  return found;
};

const newestOf = ({ turns }: Conversation): bigint =>
  turns.reduce(
    (most, { number = -1n }) => (number > most ? number : most),
    -1n,
  );

/** Every conversation there is, the one with the newest message last. */
export const findConversations = (
  stored: ReadonlyMap<string, Stored>,
): readonly Conversation[] => {
  const turns = [...stored.values()].filter(isTurn).sort(byNumber);
  const children = new Map<string, Turn[]>();
  const roots: { readonly root: Turn; readonly missing?: string }[] = [];
  for (const turn of turns) {
    const parent = parentIn(stored, turn);
    if (parent === null) roots.push({ root: turn });
    else if (typeof parent === 'string') {
      roots.push({ root: turn, missing: parent });
    } else {
      const siblings = children.get(parent.messageId);
      if (siblings === undefined) children.set(parent.messageId, [turn]);
      else siblings.push(turn);
    }
  }
  const found: Conversation[] = roots.map((root) => ({
    ...root,
    turns: descendants(root.root, children),
    children,
  }));
  // Turns in a circle go on from each other, and have no beginning.
  const reached = new Set(found.flatMap((each) => each.turns));
  for (const turn of turns) {
    if (reached.has(turn)) continue;
    reached.add(turn);
    const missing = turn.parentMessageId ?? '';
    found.push({ root: turn, missing, turns: [turn], children: new Map() });
  }
  const newest = new Map(found.map((each) => [each, newestOf(each)]));
  const at = (each: Conversation): bigint => newest.get(each) ?? -1n;
  return harden(found.sort((a, b) => (at(a) < at(b) ? -1 : 1)));
};
harden(findConversations);
