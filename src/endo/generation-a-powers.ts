import type { NamePath } from './guest.ts';

/** A name alone where a path has one segment, as A takes and shows it. */
export type NameOrPath = string | NamePath;

/** What Hob calls on a guest of generation A. The answers are checked, not believed. */
export type GuestPowers = {
  readonly has: (...path: string[]) => Promise<unknown>;
  readonly identify: (...path: string[]) => Promise<unknown>;
  readonly locate: (...path: string[]) => Promise<unknown>;
  readonly reverseIdentify: (id: string) => Promise<unknown>;
  readonly list: (...path: string[]) => Promise<unknown>;
  readonly lookup: (path: NameOrPath) => Promise<unknown>;
  readonly lookupById: (id: string) => Promise<unknown>;
  readonly remove: (...path: string[]) => Promise<unknown>;
  readonly move: (from: NamePath, to: NamePath) => Promise<unknown>;
  readonly copy: (from: NamePath, to: NamePath) => Promise<unknown>;
  readonly makeDirectory: (path: NameOrPath) => Promise<unknown>;
  readonly storeValue: (value: unknown, path: NameOrPath) => Promise<unknown>;
  readonly followNameChanges: () => Promise<unknown>;
  readonly listMessages: () => Promise<unknown>;
  readonly followMessages: () => Promise<unknown>;
  readonly send: (
    to: NameOrPath,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly NameOrPath[],
  ) => Promise<unknown>;
  readonly reply: (
    number: bigint,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly NameOrPath[],
  ) => Promise<unknown>;
  readonly adopt: (
    number: bigint,
    edgeName: string,
    path: NameOrPath,
  ) => Promise<unknown>;
  readonly dismiss: (number: bigint) => Promise<unknown>;
  readonly request: (
    to: NameOrPath,
    description: string,
    responseName?: NameOrPath,
  ) => Promise<unknown>;
  readonly resolve: (number: bigint, path: NameOrPath) => Promise<unknown>;
  readonly reject: (number: bigint, reason?: string) => Promise<unknown>;
  readonly evaluate: (
    workerName: NameOrPath | undefined,
    source: string,
    codeNames: readonly string[],
    petNames: readonly NameOrPath[],
    resultName?: NameOrPath,
  ) => Promise<unknown>;
  readonly help: (method?: string) => Promise<unknown>;
  /** Of every far reference. */
  readonly __getMethodNames__: () => Promise<unknown>;
  /** Of Hob's own daemon only. */
  readonly guarantees: () => Promise<unknown>;
};

export const nameOrPath = (path: NamePath): NameOrPath => {
  const [only] = path;
  return path.length === 1 && only !== undefined ? only : harden([...path]);
};
harden(nameOrPath);
