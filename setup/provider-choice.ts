/**
 * Which model an agent thinks with, decided once, at setup. An incarnation of
 * the agent never looks for one.
 */
export type ProviderChoice = {
  /** `LAL_HOST` of the agent. */
  readonly host: string;
  /** `LAL_MODEL` of the agent, where one was chosen. */
  readonly model?: string;
  /** Who chose: a person, what was found, or nobody (the stand-in). */
  readonly by: 'setting' | 'found' | 'default';
  /** A sentence for the person, when there is something to say. */
  readonly note?: string;
};

/** The part of `fetch` that the search needs. */
export type Fetch = (
  url: string,
  init: { readonly signal: AbortSignal },
) => Promise<{
  readonly ok: boolean;
  readonly json: () => Promise<unknown>;
}>;

const OLLAMA = 'http://localhost:11434';
const PATIENCE_MS = 500;
const PREFERRED = 'qwen3';

const PRACTICE: ProviderChoice = harden({
  host: 'practice:',
  by: 'default',
  note: 'no model found, so this is a stand-in for practice; set LAL_HOST (and LAL_MODEL, LAL_AUTH_TOKEN) for a real one',
});

/** Where a provider is that is named, and nothing more. */
const HOSTS: Readonly<Record<string, string>> = harden({
  anthropic: 'https://api.anthropic.com',
  ollama: OLLAMA,
  practice: 'practice:',
});

/** `LAL_HOST` for a `LAL_PROVIDER` without one; throws when it could be any. */
export const hostOfProvider = (provider: string): string => {
  const host = HOSTS[provider];
  if (host !== undefined) return host;
  throw Error(
    `LAL_PROVIDER is "${provider}", which may be anywhere; set LAL_HOST to the base URL of the model too, such as http://localhost:8080/v1`,
  );
};
harden(hostOfProvider);

/** The installed models; `undefined` when no Ollama answers. */
const askOllama = async (
  fetch: Fetch,
): Promise<readonly string[] | undefined> => {
  try {
    const response = await fetch(`${OLLAMA}/api/tags`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!response.ok) return undefined;
    return modelNames(await response.json());
  } catch (error) {
    // Refused, too slow or no JSON: whatever is there is not an Ollama to use.
    if (error instanceof Error || error instanceof DOMException) {
      return undefined;
    }
    throw error;
  }
};

const modelNames = (answer: unknown): readonly string[] | undefined => {
  const models = (answer as { models?: unknown } | null)?.models;
  if (!Array.isArray(models)) return undefined;
  return models.flatMap((model: unknown) => {
    const name = (model as { name?: unknown } | null)?.name;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
};

const pickModel = (
  installed: readonly string[],
  wanted: string | undefined,
): string | undefined =>
  wanted ??
  installed.find((name) => name.split(':')[0] === PREFERRED) ??
  installed[0];

/** A model that runs on this machine, else the stand-in. Never rejects. */
export const findProvider = async (
  fetch: Fetch,
  wanted: string | undefined,
): Promise<ProviderChoice> => {
  const installed = await askOllama(fetch);
  if (installed === undefined) return PRACTICE;
  const model = pickModel(installed, wanted);
  if (model === undefined) {
    return harden({
      ...PRACTICE,
      note: 'an Ollama runs here but has no model: "ollama pull qwen3", then set up again; until then, a stand-in for practice',
    });
  }
  return harden({ host: OLLAMA, model, by: 'found' });
};
harden(findProvider);
