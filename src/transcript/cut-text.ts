/** Tokens that the notice about a cut is given. */
const NOTICE_ROOM = 40;

const isHalfCharacter = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00;
};

/** As much of its beginning as has at most so many tokens. */
const headOf = (
  text: string,
  tokens: number,
  ofText: (text: string) => number,
): string => {
  let head = text;
  while (head !== '') {
    const size = ofText(head);
    if (size <= tokens) return head;
    // Dense parts may lie anywhere, so each step is at least a tenth.
    const share = Math.min(0.9, Math.max(0, tokens) / size);
    head = head.slice(0, Math.floor(head.length * share));
    if (isHalfCharacter(head)) head = head.slice(0, -1);
  }
  return head;
};

/**
 * A text of at most so many tokens: the whole, or its beginning with a notice
 * on a line of its own. Below the size of the notice, the notice alone.
 */
export const cutText = (
  text: string,
  tokens: number,
  ofText: (text: string) => number,
): string => {
  if (ofText(text) <= tokens) return text;
  const head = headOf(text, tokens - NOTICE_ROOM, ofText);
  return `${head}\n(cut to what fits: ${head.length} of ${text.length} characters are shown)`;
};
harden(cutText);
