/** What a server of Ollama's wire answers: replies and their form on the wire. */
import type { StreamReply } from './model-server.ts';

export type OllamaToolCall = {
  /** Newer servers give one; older do not. */
  readonly id?: string;
  readonly name: string;
  readonly args?: unknown;
};

/** One answer. Without anything: an empty text. */
export type OllamaReply = StreamReply & {
  readonly text?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly OllamaToolCall[];
  /** `stop` when it is left out; null: the stream ends without its last line. */
  readonly doneReason?: string | null;
  readonly usage?: {
    readonly prompt_eval_count?: number;
    readonly eval_count?: number;
  };
  /** Other than 200: an error with `error` as its words. */
  readonly status?: number;
  readonly error?: string;
  /** An error in place of the rest of the stream. */
  readonly errorLine?: string;
  /** The body as it is, instead of an answer. */
  readonly raw?: string;
  /** Never answers. */
  readonly hang?: boolean;
  /** Sends all but the last line, and then nothing more. */
  readonly stall?: boolean;
  /** Answers when this is resolved. */
  readonly after?: Promise<unknown>;
};

const MODEL = { model: 'qwen3', created_at: '2025-10-26T17:15:24.097767Z' };

const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(
    (part) => part !== '',
  );
};

const line = (message: object) => ({
  ...MODEL,
  message: { role: 'assistant', content: '', ...message },
  done: false,
});

const lastLine = (reply: OllamaReply) => ({
  ...line({}),
  done: true,
  done_reason: reply.doneReason ?? 'stop',
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

/** The stream of a reply, as it goes over the wire. */
export const toLines = (reply: OllamaReply): string =>
  [...firstLines(reply), ...ending(reply)]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('');

/** The same in one document. */
export const toOllamaDocument = (reply: OllamaReply): string => {
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
  errorLine: {
    text: 'Yes.',
    errorLine: 'an error was encountered while running the model',
  },
  notJson: { raw: '<html><body>Welcome to the router</body></html>' },
  notAnObject: { raw: '5\n' },
  noMessage: { raw: '{"model":"qwen3","done":true}\n' },
  hang: { hang: true },
  dropped: { text: 'this will not arrive in full', drop: true },
  noLastLine: { text: 'this stream just ends', doneReason: null },
  cutOff: { text: 'this sentence was cut', doneReason: 'length' },
} satisfies Record<string, OllamaReply>);
