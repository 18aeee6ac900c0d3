/**
 * One script for the three wires: replies in a neutral form are sent in each
 * wire's own, and what each is asked is brought back to one neutral form.
 */
import { startAnthropicServer } from './anthropic-server.ts';
import type { AnthropicRequestBody } from './anthropic-server.ts';
import type { ModelServer, ServerRequest } from './model-server.ts';
import { startOllamaServer } from './ollama-server.ts';
import type { OllamaRequestBody } from './ollama-server.ts';
import { startOpenAiServer } from './openai-server.ts';
import type { RequestBody as OpenAiRequestBody } from './openai-server.ts';

export type NeutralReply = {
  readonly thinking?: string;
  readonly text?: string;
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly args?: Readonly<Record<string, unknown>>;
  }[];
  /** The answer ends at the token limit. */
  readonly cutOff?: boolean;
  /** The stream comes to a halt. */
  readonly stall?: boolean;
  readonly pieceBytes?: number;
};

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

export type NeutralScript = readonly NeutralReply[];

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

const namesOf = (
  tools:
    readonly { readonly function: { readonly name: string } }[] | undefined,
): readonly string[] => (tools ?? []).map(({ function: { name } }) => name);

const fromOpenAi = (body: OpenAiRequestBody): NeutralRequest => {
  const numbers = makeNumbers();
  const messages = body.messages.map((message): NeutralMessage => {
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
      args: JSON.parse(call.function.arguments) as unknown,
    }));
    return { role: 'assistant', text: saidText(text, calls), calls };
  });
  return { tools: namesOf(body.tools), messages };
};

const fromOllama = (body: OllamaRequestBody): NeutralRequest => {
  const numbers = makeNumbers();
  const messages = body.messages.map((message): NeutralMessage => {
    const text = message.content;
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
      args: call.function.arguments,
    }));
    return { role: 'assistant', text: saidText(text, calls), calls };
  });
  return { tools: namesOf(body.tools), messages };
};

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
    (script: NeutralScript) => Promise<Wire>
  >
> = {
  openai: async (script) => {
    const server = await startOpenAiServer(
      script.map(({ cutOff, thinking, ...reply }) => ({
        ...reply,
        ...(thinking === undefined ? {} : { reasoning: thinking }),
        ...(cutOff ? { finishReason: 'length' } : {}),
      })),
    );
    return makeWire('openai', server, fromOpenAi);
  },
  anthropic: async (script) => {
    const server = await startAnthropicServer(
      script.map(({ cutOff, ...reply }) => ({
        ...reply,
        ...(cutOff ? { stopReason: 'max_tokens' } : {}),
      })),
    );
    return makeWire('anthropic', server, fromAnthropic);
  },
  ollama: async (script) => {
    const server = await startOllamaServer(
      script.map(({ cutOff, ...reply }) => ({
        ...reply,
        ...(cutOff ? { doneReason: 'length' } : {}),
      })),
    );
    return makeWire('ollama', server, fromOllama);
  },
};
