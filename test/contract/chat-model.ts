import { describe } from 'vitest';

import type { ChatWire } from '../support/chat-model.ts';
import type { ModelReply } from '../support/model-replies.ts';
import { itAnswers } from './chat-answers.ts';
import { itFails, itKeepsTheToken, itTimesOut } from './chat-failures.ts';
import { itEndsWhenAborted, itReadsStreams } from './chat-streams.ts';

type BadName =
  | 'unauthorized'
  | 'missingModel'
  | 'noSuchPath'
  | 'tooMany'
  | 'overflow'
  | 'serverError'
  | 'notJson'
  | 'noMessage'
  | 'brokenStream'
  | 'dropped'
  | 'noEnd'
  | 'cutOff'
  | 'hugeUsage';

/** A wire, and how its server behaves badly. */
export type ContractWire = ChatWire & {
  readonly bad: Readonly<Record<BadName, ModelReply>>;
  /** An error with these words, with status 200 in place of an answer. */
  readonly toErrorInAnswer: (words: string) => ModelReply;
  /** The same after the beginning of a stream. */
  readonly toErrorInStream: (words: string) => ModelReply;
  /** Whether the provider itself limits the wait for the first byte. */
  readonly timesOut: boolean;
};

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
