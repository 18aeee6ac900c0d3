import { parseNameOrPath } from './arguments.ts';
import { usageError } from './cli-error.ts';
import type { NameOrPath } from './remote.ts';

/** Text and values of a message, as `send` and `reply` take them. */
export type MessageParts = {
  readonly strings: readonly string[];
  readonly edgeNames: readonly string[];
  readonly petNames: readonly NameOrPath[];
};

// A mark counts at the start of a word only, so that addresses are text; "@@"
// is a plain "@". The edge name, then the pet name or path when it is another.
const MARK =
  /(?<![\w.@-])(?:@@|@([a-z][a-z0-9-]{0,127})(?::((?:[a-zA-Z0-9][a-zA-Z0-9-]*)(?:\/[a-zA-Z0-9][a-zA-Z0-9-]*)*))?)/gu;

/**
 * `see @file and @copy:notes/today` → the text around the values, their edge
 * names, and the pet names they are taken from.
 */
export const parseMessageText = (text: string): MessageParts => {
  const strings: string[] = [];
  const edgeNames: string[] = [];
  const petNames: NameOrPath[] = [];
  let pending = '';
  let from = 0;
  for (const match of text.matchAll(MARK)) {
    pending += text.slice(from, match.index);
    from = match.index + match[0].length;
    const edgeName = match[1];
    if (edgeName === undefined) {
      pending += '@';
      continue;
    }
    if (edgeNames.includes(edgeName)) {
      throw usageError(
        `the message names "@${edgeName}" twice; give the second another edge name, as "@other:${match[2] ?? edgeName}"`,
      );
    }
    strings.push(pending);
    edgeNames.push(edgeName);
    petNames.push(parseNameOrPath(match[2] ?? edgeName));
    pending = '';
  }
  pending += text.slice(from);
  if (pending !== '' || strings.length === 0) strings.push(pending);
  return harden({ strings, edgeNames, petNames });
};
harden(parseMessageText);
