/**
 * An answer taken apart: what is said, what is thought, and what is called in
 * the text with `<tool_call>{json}</tool_call>`.
 */
import { endOfBrackets, skipSpace } from './json-span.ts';

export type AnswerPart =
  | { readonly type: 'text'; readonly source: string }
  | {
      readonly type: 'think';
      readonly source: string;
      readonly closed: boolean;
    }
  | {
      readonly type: 'call';
      /** The part of the answer with its tags. */
      readonly source: string;
      /** The JSON between the tags; not parsed, and possibly broken. */
      readonly json: string;
      /** Whether the value ended: false for one that was cut off. */
      readonly complete: boolean;
    };

const THINK = '<think>';
const THINK_END = '</think>';
const CALL = '<tool_call>';
const CALL_END = '</tool_call>';

type Find = (tag: string, from: number) => number;

/** `indexOf` for growing positions that never searches a stretch twice. */
const makeFind = (content: string): Find => {
  const found = new Map<string, number>();
  return (tag, from) => {
    const last = found.get(tag);
    if (last !== undefined && last >= from) return last;
    const index = content.indexOf(tag, from);
    const next = index < 0 ? content.length : index;
    found.set(tag, next);
    return next;
  };
};

const FENCE = /^```\w{0,10}\s{0,10}/;
// What models leave between a value and its closing tag.
const LEFTOVER = /^[\s}\],;`]{0,20}<\/tool_call>/;

type Call = Extract<AnswerPart, { type: 'call' }>;

/** The call whose tag is at `from`; undefined when the tag is only mentioned. */
const readCall = (
  content: string,
  from: number,
  find: Find,
): Call | undefined => {
  let start = skipSpace(content, from + CALL.length);
  const fence = FENCE.exec(content.slice(start, start + 30));
  if (fence) start += fence[0].length;
  const open = content.charAt(start);
  if (open !== '{' && open !== '[') return undefined;
  const jsonEnd = endOfBrackets(content, start);
  if (jsonEnd < 0) {
    const close = find(CALL_END, start);
    const next = find(CALL, start);
    const end = Math.min(close, next);
    const until =
      end === close && close < content.length ? close + CALL_END.length : end;
    const complete = end < content.length;
    return {
      type: 'call',
      source: content.slice(from, until),
      json: content.slice(start, end).trim(),
      complete,
    };
  }
  const leftover = LEFTOVER.exec(content.slice(jsonEnd, jsonEnd + 40));
  const until = jsonEnd + (leftover ? leftover[0].length : 0);
  return {
    type: 'call',
    source: content.slice(from, until),
    json: content.slice(start, jsonEnd),
    complete: true,
  };
};

/** Whether the tag here is spoken of and not used: it stands in quotes. */
const isMentioned = (content: string, at: number): boolean =>
  /[`'"]/u.test(content.charAt(at - 1));

/**
 * Joined, the sources of the parts are the content again. Contract: never
 * throws, and takes time in proportion to the length.
 *
 * A think block that was never closed reaches to the end. A `</think>` with no
 * `<think>` before it closes one that the model's template had opened: all that
 * precedes it was thought, calls included.
 */
export const readAnswerParts = (content: string): readonly AnswerPart[] => {
  const find = makeFind(content);
  const parts: AnswerPart[] = [];
  let at = 0;
  let textFrom = 0;
  let thought = false;
  const pushText = (until: number) => {
    if (until > textFrom)
      parts.push({ type: 'text', source: content.slice(textFrom, until) });
  };
  for (;;) {
    const next = Math.min(find(THINK, at), find(THINK_END, at), find(CALL, at));
    if (next >= content.length) break;
    if (content.startsWith(CALL, next)) {
      const part = readCall(content, next, find);
      at = next + (part ? part.source.length : CALL.length);
      if (!part) continue;
      pushText(next);
      parts.push(part);
    } else if (isMentioned(content, next)) {
      at = next + 1;
      continue;
    } else if (content.startsWith(THINK, next)) {
      const close = find(THINK_END, next);
      const closed = close < content.length;
      at = closed ? close + THINK_END.length : content.length;
      pushText(next);
      parts.push({ type: 'think', source: content.slice(next, at), closed });
      thought = true;
    } else {
      at = next + THINK_END.length;
      if (thought) pushText(next);
      else parts.length = 0;
      const from = thought ? next : 0;
      parts.push({
        type: 'think',
        source: content.slice(from, at),
        closed: true,
      });
      thought = true;
    }
    textFrom = at;
  }
  pushText(content.length);
  return parts;
};
harden(readAnswerParts);
