import { stillOpenLine } from '../proposal/outcome-text.ts';
import type { Decisions } from './decisions.ts';

/**
 * For a turn that a crash has cut off and that runs again: what it has asked
 * already, so that nothing is asked twice.
 */
export const stillOpenLines = (
  decisions: Pick<Decisions, 'askedBy'>,
  nodeId: string,
): readonly string[] => decisions.askedBy(nodeId).map(stillOpenLine);
harden(stillOpenLines);
