import type { TranscriptNode } from '../../src/transcript/node.ts';
import { makeTranscriptStore } from '../../src/transcript/store.ts';
import { makeMemoryDirectory } from './memory-directory.ts';

/** A turn with one message, or a pointer when that is empty. */
export const makeNode = (
  messageId: string,
  parentMessageId: string | null,
  text: string,
): TranscriptNode => ({
  messageId,
  parentMessageId,
  messages: text === '' ? [] : [{ role: 'user', content: text }],
  correspondent: 'bob',
  rootMessageId: 'a',
  turns: 1,
  exchanges: 1,
  unattended: 0,
  failed: false,
});

/** The durable store, over a directory in memory. */
export const makeStoreInMemory = () =>
  makeTranscriptStore({
    directory: makeMemoryDirectory(),
    present: new Set(),
    cacheBytes: 1_000_000,
  });
