/**
 * A loopback server of the OpenAI wire that answers from a script, well or
 * badly: for the real SDK, also from a real worker process.
 */
import { startModelServer } from './model-server.ts';
import type {
  ModelServer,
  Script as ScriptOf,
  ServerRequest as RequestOf,
} from './model-server.ts';
import { openAiForm } from './openai-replies.ts';
import type { Reply } from './openai-replies.ts';

export { badReplies } from './openai-replies.ts';
export type { Reply } from './openai-replies.ts';

/** The body of a request, as far as tests look at it. */
export type RequestBody = {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly [key: string]: unknown;
};

export type ServerRequest = RequestOf<RequestBody>;
export type Script = ScriptOf<RequestBody, Reply>;
/** `url` is the base URL, with `/v1`: for LAL_HOST. */
export type OpenAiServer = ModelServer<RequestBody>;

export const startOpenAiServer = (script: Script): Promise<OpenAiServer> =>
  startModelServer({
    script,
    basePath: '/v1',
    form: openAiForm,
    streams: false,
  });
