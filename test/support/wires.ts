/**
 * One script for the three wires: each sends the same replies in its own form,
 * and what each is asked is brought back to one neutral form.
 */
import { startAnthropicServer } from './anthropic-server.ts';
import type { AnthropicRequestBody } from './anthropic-server.ts';
import type { ModelReply } from './model-replies.ts';
import type { ModelServer, ServerRequest } from './model-server.ts';
import { startOllamaServer } from './ollama-server.ts';
import type { OllamaRequestBody } from './ollama-server.ts';
import { startOpenAiServer } from './openai-server.ts';
import type { RequestBody as OpenAiRequestBody } from './openai-server.ts';

export type NeutralMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly {
        readonly call: string;
        readonly name: string;
        readonly args: unknown;
      }[];
    }
  | { readonly role: 'tool'; readonly of: string; readonly text: string };

export type NeutralRequest = {
  readonly tools: readonly string[];
  readonly messages: readonly NeutralMessage[];
};

/** A server of one wire that answers from the script, a reply a request. */
export type Wire = {
  /** What an agent is told, so that it asks this server. */
  readonly env: Readonly<Record<string, string>>;
  readonly asked: () => readonly NeutralRequest[];
  readonly nextRequest: () => Promise<{ readonly closed: Promise<boolean> }>;
  readonly close: () => Promise<void>;
};

/** Ids differ from wire to wire: calls are numbered as they come. */
const makeNumbers = () => {
  const latest = new Map<string, string>();
  let count = 0;
  return {
    forCall: (id: string | undefined): string => {
      count += 1;
      if (id !== undefined) latest.set(id, `#${count}`);
      return `#${count}`;
    },
    forResult: (id: string | undefined): string =>
      latest.get(id ?? '') ?? `unknown ${String(id)}`,
  };
};

const errorText = (text: string): string =>
  /^error\b/i.test(text) ? text : `Error: ${text}`;

/** An answer without anything cannot be sent on each wire. */
const saidText = (text: string, calls: readonly unknown[]): string =>
  text === '' && calls.length === 0 ? '(nothing)' : text;

/** Both have messages of tools and calls of functions. */
const fromFunctionCalls = (
  { messages, tools }: OpenAiRequestBody | OllamaRequestBody,
  toArgs: (given: unknown) => unknown,
): NeutralRequest => {
  const numbers = makeNumbers();
  const toMessage = (message: (typeof messages)[number]): NeutralMessage => {
    const text = message.content ?? '';
    if (message.role === 'tool')
      return {
        role: 'tool',
        of: numbers.forResult(message.tool_call_id),
        text,
      };
    if (message.role !== 'assistant')
      return { role: message.role === 'system' ? 'system' : 'user', text };
    const calls = (message.tool_calls ?? []).map((call) => ({
      call: numbers.forCall(call.id),
      name: call.function.name,
      args: toArgs(call.function.arguments),
    }));
    return { role: 'assistant', text: saidText(text, calls), calls };
  };
  const names = (tools ?? []).map(({ function: { name } }) => name);
  return { tools: names, messages: messages.map(toMessage) };
};

const fromOpenAi = (body: OpenAiRequestBody): NeutralRequest =>
  fromFunctionCalls(body, (text) => JSON.parse(String(text)) as unknown);

const fromOllama = (body: OllamaRequestBody): NeutralRequest =>
  fromFunctionCalls(body, (record) => record);

const fromAnthropic = (body: AnthropicRequestBody): NeutralRequest => {
  const numbers = makeNumbers();
  const system = (body.system ?? []).map(({ text = '' }) => text).join('\n\n');
  const messages = body.messages.flatMap(
    ({ role, content }): readonly NeutralMessage[] => {
      if (role === 'user') {
        return content.map((block): NeutralMessage => {
          if (block.type !== 'tool_result')
            return { role: 'user', text: block.text ?? '' };
          const text = block.content ?? '';
          return {
            role: 'tool',
            of: numbers.forResult(block.tool_use_id),
            text: block.is_error === true ? errorText(text) : text,
          };
        });
      }
      const text = content.map((block) => block.text ?? '').join('');
      const calls = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name = '', input }) => ({
          call: numbers.forCall(id),
          name,
          args: input,
        }));
      return [{ role: 'assistant', text: saidText(text, calls), calls }];
    },
  );
  return {
    tools: (body.tools ?? []).map(({ name }) => name),
    messages: [{ role: 'system', text: system }, ...messages],
  };
};

const makeWire = <Body>(
  provider: string,
  server: ModelServer<Body>,
  read: (body: Body) => NeutralRequest,
): Wire => ({
  env: { LAL_PROVIDER: provider, LAL_HOST: server.url, LAL_MODEL: 'scripted' },
  asked: () =>
    server.requests.map(({ body }: ServerRequest<Body>) => read(body)),
  nextRequest: server.nextRequest,
  close: server.close,
});

export const wires: Readonly<
  Record<
    'openai' | 'anthropic' | 'ollama',
    (script: readonly ModelReply[]) => Promise<Wire>
  >
> = {
  openai: async (script) =>
    makeWire('openai', await startOpenAiServer(script), fromOpenAi),
  anthropic: async (script) =>
    makeWire('anthropic', await startAnthropicServer(script), fromAnthropic),
  ollama: async (script) =>
    makeWire('ollama', await startOllamaServer(script), fromOllama),
};
