import type { ChatWire } from '../support/chat-model.ts';
import type { ModelReply } from '../support/model-replies.ts';

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
