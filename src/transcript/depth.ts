const PREFIX = /^\s*(?:\[depth:\d+\]\s*)+/u;

/**
 * Depth of the closing reply of a chain's last turn: the user message and the
 * closing answer of each turn count, so the first answer is `[depth:2]`.
 *
 * Source: reply-chain specification, "Transcript Depth on Messages".
 *
 * @param turns - turns of the chain, the one that is being answered included
 */
export const depthOf = (turns: number): number => 2 * turns;
harden(depthOf);

/** Models copy what they see: whatever depth they claim is taken off. */
export const withoutDepth = (text: string): string => text.replace(PREFIX, '');
harden(withoutDepth);

export const withDepth = (text: string, depth: number): string =>
  `[depth:${depth}] ${withoutDepth(text)}`;
harden(withDepth);
