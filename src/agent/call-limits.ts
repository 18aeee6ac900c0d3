import type { ToolCall } from '../model/chat.ts';

/** Calls of one answer that are run; a model in a loop asks for many more. */
const MOST_CALLS = 32;
/** Equal calls of one answer that are run. */
const MOST_EQUAL = 2;

/** Why a call of this answer is not run, in words for the model. */
export const refuseExcess = (
  calls: readonly ToolCall[],
): ReadonlyMap<ToolCall, string> => {
  const refused = new Map<ToolCall, string>();
  const counts = new Map<string, number>();
  for (const [index, call] of calls.entries()) {
    const key = JSON.stringify([call.name, call.argumentsText]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (index >= MOST_CALLS) {
      refused.set(
        call,
        `Not run: one answer may hold ${MOST_CALLS} calls. Call again what is still needed.`,
      );
    } else if (count > MOST_EQUAL) {
      refused.set(
        call,
        `Not run: this answer holds the same call ${count} times.`,
      );
    }
  }
  return refused;
};
harden(refuseExcess);
