/** What a server of Ollama's wire answers: replies and their form on the wire. */
import { halves } from './model-replies.ts';
import type { ModelReply, ReplyForm } from './model-replies.ts';

/** One answer. Without anything: an empty text. */
export type OllamaReply = ModelReply & {
  /** As the reply ends: `stop`, `length`; null: the last line does not come. */
  readonly doneReason?: string | null;
  readonly usage?: {
    readonly prompt_eval_count?: number;
    readonly eval_count?: number;
  };
  /** An error in place of the rest of the stream. */
  readonly errorLine?: string;
};

const MODEL = { model: 'qwen3', created_at: '2025-10-26T17:15:24.097767Z' };

const line = (message: object) => ({
  ...MODEL,
  message: { role: 'assistant', content: '', ...message },
  done: false,
});

const lastLine = (reply: OllamaReply) => ({
  ...line({}),
  done: true,
  done_reason: reply.doneReason ?? (reply.cutOff ? 'length' : 'stop'),
  total_duration: 4_883_583_458,
  load_duration: 1_334_875,
  prompt_eval_duration: 342_546_000,
  eval_duration: 4_535_599_000,
  ...(reply.usage ?? { prompt_eval_count: 20, eval_count: 7 }),
});

const toolCallsOf = ({ toolCalls = [] }: OllamaReply) =>
  toolCalls.map(({ id, name, args = {} }, index) => ({
    ...(id === undefined ? {} : { id }),
    function: { index, name, arguments: args },
  }));

/** All lines but the last. */
const firstLines = (reply: OllamaReply): readonly object[] => [
  ...halves(reply.thinking ?? '').map((thinking) => line({ thinking })),
  ...halves(reply.text ?? '').map((content) => line({ content })),
  ...toolCallsOf(reply).map((call) => line({ tool_calls: [call] })),
];

const ending = (reply: OllamaReply): readonly object[] => {
  if (reply.errorLine !== undefined) return [{ error: reply.errorLine }];
  if (reply.stall || reply.doneReason === null) return [];
  return [lastLine(reply)];
};

const toLines = (reply: OllamaReply): string =>
  [...firstLines(reply), ...ending(reply)]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('');

const toDocument = (reply: OllamaReply): string => {
  const calls = toolCallsOf(reply);
  return JSON.stringify({
    ...lastLine(reply),
    message: {
      role: 'assistant',
      content: reply.text ?? '',
      ...(reply.thinking === undefined ? {} : { thinking: reply.thinking }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  });
};

/** Replies as they go over the wire. */
export const ollamaForm: ReplyForm<OllamaReply> = {
  contentType: 'application/x-ndjson',
  toStream: toLines,
  toDocument,
  toError: (error) => ({ error }),
};

/** Misbehaviours by name: each is a reply for a script. */
export const badOllamaReplies = harden({
  unauthorized: { status: 401, error: 'unauthorized' },
  missingModel: { status: 404, error: "model 'qwen3' not found" },
  noSuchPath: { status: 404, raw: '404 page not found' },
  tooMany: {
    status: 429,
    error: 'too many requests',
    headers: { 'retry-after': '2' },
  },
  // As servers that stand on llama.cpp say it: an error within an error.
  overflow: {
    status: 400,
    error:
      '{"error":{"code":400,"message":"request (8889 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":8889,"n_ctx":4096}}',
  },
  oldOverflow: {
    status: 400,
    error: 'the input length exceeds the context length',
  },
  noTools: {
    status: 400,
    error: 'registry.ollama.ai/library/gemma:2b does not support tools',
  },
  noMemory: {
    status: 500,
    error:
      'model requires more system memory (21.4 GiB) than is available (7.7 GiB)',
  },
  serverError: { status: 500, error: 'llama runner process has terminated' },
  notJson: { raw: '<html><body>Welcome to the router</body></html>' },
  noMessage: { raw: '{"model":"qwen3","done":true}\n' },
  brokenStream: { raw: '{"message":{"content":"x"}}\n{nonsense\n' },
  dropped: { text: 'this will not arrive in full', drop: true },
  noEnd: { text: 'this stream just ends', doneReason: null },
  cutOff: { text: 'this sentence was cut', cutOff: true },
  // Of its answer only: a prompt that fills the context was cut.
  hugeUsage: { text: 'ok', usage: { prompt_eval_count: 1, eval_count: 1e308 } },
} satisfies Record<string, OllamaReply>);
