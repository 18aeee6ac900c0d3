/**
 * The lines of conversation in which something is open: which turns belong to
 * each, and the newest settled node of it, on which the outcome will hang.
 */
export type Lines = {
  /** A turn is under way. `parent`: the node it will hang on; never rejects. */
  readonly began: (
    nodeId: string,
    parent: Promise<string | null>,
    settled: Promise<void>,
  ) => void;
  /** A turn has become a node. The open lines (`opened`) that it prolongs. */
  readonly prolong: (
    nodeId: string,
    turnBefore: string | null,
  ) => readonly string[];
  /** Follow a line from this node on, as long as `messageId` is open. */
  readonly opened: (
    messageId: string,
    from: { readonly askedBy: string | null; readonly tip: string | null },
  ) => void;
  readonly closed: (messageId: string) => void;
  /** Resolves when no turn of the line runs that began before this one. */
  readonly join: (messageId: string, nodeId: string) => Promise<void>;
  /** The newest settled node; `null` before there is one. */
  readonly tip: (messageId: string) => string | null;
};

type Line = { readonly members: Set<string>; tip: string | null };
type Running = {
  readonly parent: Promise<string | null>;
  readonly settled: Promise<void>;
};

export const makeLines = (): Lines => {
  const lines = new Map<string, Line>();
  // In the order in which they began, which is the order of the events.
  const running = new Map<string, Running>();

  const isIn = async (
    { members }: Line,
    nodeId: string,
    turn: Running,
  ): Promise<boolean> => {
    if (members.has(nodeId)) return true;
    // Whom a message answers is its sender's word: it may go in a circle.
    const seen = new Set<string>();
    let next = await turn.parent;
    while (next !== null && !members.has(next)) {
      if (seen.has(next)) return false;
      seen.add(next);
      next = (await running.get(next)?.parent) ?? null;
    }
    return next !== null;
  };

  return harden({
    began: (
      nodeId: string,
      parent: Promise<string | null>,
      settled: Promise<void>,
    ) => {
      const turn = { parent, settled };
      running.set(nodeId, turn);
      const over = (): void => {
        if (running.get(nodeId) === turn) running.delete(nodeId);
      };
      settled.then(over, over);
    },
    prolong: (nodeId: string, turnBefore: string | null) => {
      const prolonged: string[] = [];
      for (const [messageId, line] of lines) {
        const { members } = line;
        const isNext = turnBefore !== null && members.has(turnBefore);
        if (!isNext && !members.has(nodeId)) continue;
        members.add(nodeId);
        line.tip = nodeId;
        prolonged.push(messageId);
      }
      return prolonged;
    },
    opened: (
      messageId: string,
      {
        askedBy,
        tip,
      }: { readonly askedBy: string | null; readonly tip: string | null },
    ) => {
      // What answers the question itself goes on in its line as well.
      const nodes = [messageId, askedBy, tip].filter((each) => each !== null);
      lines.set(messageId, { members: new Set(nodes), tip });
    },
    closed: (messageId: string) => {
      lines.delete(messageId);
    },
    join: async (messageId: string, nodeId: string) => {
      const earlier: [string, Running][] = [];
      for (const entry of running) {
        if (entry[0] === nodeId) break;
        earlier.push(entry);
      }
      for (const [id, turn] of earlier) {
        const line = lines.get(messageId);
        if (line !== undefined && (await isIn(line, id, turn))) {
          // Its failure has been reported, and is no reason not to go on.
          await turn.settled.catch(() => undefined);
        }
      }
    },
    tip: (messageId: string) => lines.get(messageId)?.tip ?? null,
  });
};
harden(makeLines);
