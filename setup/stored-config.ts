import type { ProviderChoice } from './provider-choice.ts';

/**
 * What is kept in the guest as `lal-config`, to set the agent up the same way
 * again. The token is not in it, only whether there was one.
 */
export type StoredConfig = {
  readonly host: string;
  readonly model?: string;
  readonly by: ProviderChoice['by'];
  readonly hasToken: boolean;
  /** The `LAL_*` that were set, but for host, model and token. */
  readonly settings: Readonly<Record<string, string>>;
  /** The caplet that was started: another program is another agent. */
  readonly caplet: string;
};

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      )
    : {};

/** `undefined` for what no setup of ours has written. */
export const parseStoredConfig = (value: unknown): StoredConfig | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { host, model, by, hasToken, caplet, settings } = value as Record<
    string,
    unknown
  >;
  if (typeof host !== 'string') return undefined;
  return harden({
    host,
    ...(typeof model === 'string' ? { model } : {}),
    by: by === 'found' || by === 'default' ? by : 'setting',
    hasToken: hasToken === true,
    settings: textsOf(settings),
    caplet: typeof caplet === 'string' ? caplet : '',
  });
};
harden(parseStoredConfig);
