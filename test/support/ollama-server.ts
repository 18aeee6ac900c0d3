/**
 * A loopback server of Ollama's own wire that answers from a script, well or
 * badly: for the real SDK, also from a real worker process.
 */
import { startModelServer } from './model-server.ts';
import type { ModelServer, Script } from './model-server.ts';
import { ollamaForm } from './ollama-replies.ts';
import type { OllamaReply } from './ollama-replies.ts';

export { badOllamaReplies } from './ollama-replies.ts';
export type { OllamaReply } from './ollama-replies.ts';

/** The body of a request, as far as tests look at it. */
export type OllamaRequestBody = {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_name?: string;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly {
      readonly id?: string;
      readonly function: {
        readonly name: string;
        readonly arguments: Readonly<Record<string, unknown>>;
      };
    }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
};

export type OllamaScript = Script<OllamaRequestBody, OllamaReply>;
/** `url` is for LAL_HOST: it has no path. */
export type OllamaServer = ModelServer<OllamaRequestBody>;

export const startOllamaServer = (
  script: OllamaScript,
): Promise<OllamaServer> =>
  startModelServer({ script, basePath: '', form: ollamaForm, streams: true });
