/**
 * A loopback server of the Anthropic wire that answers from a script, well or
 * badly: for the real SDK, also from a real worker process.
 */
import { anthropicForm } from './anthropic-replies.ts';
import type { AnthropicReply } from './anthropic-replies.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer, Script } from './model-server.ts';

export { badAnthropicReplies } from './anthropic-replies.ts';
export type { AnthropicReply } from './anthropic-replies.ts';

/** A block of a message, as far as tests look at it. */
export type AnthropicBlock = {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string;
  readonly is_error?: boolean;
  readonly cache_control?: { readonly type: string };
};

/** The body of a request, as far as tests look at it. */
export type AnthropicRequestBody = {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly system?: readonly AnthropicBlock[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly AnthropicBlock[];
  }[];
  readonly tools?: readonly {
    readonly name: string;
    readonly cache_control?: { readonly type: string };
  }[];
  readonly [key: string]: unknown;
};

export type AnthropicScript = Script<AnthropicRequestBody, AnthropicReply>;
/** `url` is for LAL_HOST: it has no path. */
export type AnthropicServer = ModelServer<AnthropicRequestBody>;

export const startAnthropicServer = (
  script: AnthropicScript,
): Promise<AnthropicServer> =>
  startModelServer({
    script,
    basePath: '',
    form: anthropicForm,
    streams: false,
  });
