/**
 * A repetition shorter than this is taken for the model's own words ("ha",
 * "ha"), a longer one for a continuation that begins again a little earlier.
 */
const SHORTEST_OVERLAP = 12;

/**
 * For each prefix of `text`, how long its longest proper border is (the
 * failure function of Knuth, Morris and Pratt).
 */
const bordersOf = (text: string): readonly number[] => {
  const borders = [0];
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text[at] !== text[length])
      length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length += 1;
    borders.push(length);
  }
  return borders;
};

/** How much of the start of `next` is already at the end of `text`. */
const overlapOf = (text: string, next: string): number => {
  const tail = text.slice(-next.length);
  const borders = bordersOf(next);
  let length = 0;
  for (let at = 0; at < tail.length; at += 1) {
    while (length > 0 && tail[at] !== next[length])
      length = borders[length - 1] ?? 0;
    if (tail[at] === next[length]) length += 1;
    if (length === next.length && at < tail.length - 1)
      length = borders[length - 1] ?? 0;
  }
  return length;
};

/** `text` and what follows it, where `next` may repeat the end of `text`. */
export const joinTexts = (text: string, next: string): string => {
  const overlap = next === '' ? 0 : overlapOf(text, next);
  return text + next.slice(overlap >= SHORTEST_OVERLAP ? overlap : 0);
};
harden(joinTexts);
