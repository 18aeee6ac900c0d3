import { describe } from 'vitest';

import { itAnswers } from './chat-answers.ts';
import { itFails, itKeepsTheToken, itTimesOut } from './chat-failures.ts';
import { itEndsWhenAborted, itReadsStreams } from './chat-streams.ts';
import type { ContractWire } from './contract-wire.ts';

/** What every model does alike, whatever wire it speaks. */
export const describeChatModel = (wire: ContractWire): void => {
  describe(`a model of the wire of ${wire.provider}`, () => {
    describe('given an answer', () => itAnswers(wire));
    describe('given a stream', () => itReadsStreams(wire));
    describe('aborted', () => itEndsWhenAborted(wire));
    describe('asking a server that fails', () => {
      itFails(wire);
      if (wire.timesOut) itTimesOut(wire);
    });
    describe('has a token that', () => itKeepsTheToken(wire));
  });
};
