import type { CodePowers } from './code-powers.ts';
import type { FormulaId, UnconfinedFormula } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import { formatPath, pathFrom, type NamePath } from '../name/pet-name.ts';

export type CapletOptions = {
  /** Whose powers it gets. None when it is not given. */
  readonly powersName?: NameOrPath | undefined;
  readonly resultName?: NameOrPath | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
};

export type RemakeOptions = {
  readonly resultName?: NameOrPath | undefined;
  /** All of its environment but what is kept. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Variables whose values are taken from the other caplet. */
  readonly keep?: readonly string[] | undefined;
};

export type Caplets = {
  /** Formulates and names the caplet, ends what had that name, and makes it. */
  readonly makeUnconfined: (
    host: FormulaId,
    workerName: NameOrPath | undefined,
    specifier: string,
    options: CapletOptions,
  ) => Promise<unknown>;
  /**
   * The same of another file, with the worker and powers of a caplet that is
   * there. What it keeps of its environment nobody gets to see.
   */
  readonly remakeUnconfined: (
    host: FormulaId,
    nameOrPath: NameOrPath,
    specifier: string,
    options: RemakeOptions,
  ) => Promise<unknown>;
  readonly cancel: (
    host: FormulaId,
    nameOrPath: NameOrPath,
    reason: Error,
  ) => Promise<void>;
};

const assertSpecifier = (specifier: string): void => {
  if (URL.canParse(specifier) && new URL(specifier).protocol === 'file:')
    return;
  throw Error(
    `makeUnconfined needs the file: URL of a module, and not ${JSON.stringify(specifier.slice(0, 200))}`,
  );
};

/** Throws when the caplet does not have one of them. */
const keptOf = (
  { env }: UnconfinedFormula,
  names: readonly string[],
  path: NamePath,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.map((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value !== undefined) return [name, value] as const;
      throw Error(
        `${formatPath(path)} has no variable ${JSON.stringify(name)} that could be kept. Give its value in env`,
      );
    }),
  );

export const makeCaplets = (powers: CodePowers): Caplets => {
  const { database, formulas, collector, hubs, ids, incarnator, workerId } =
    powers;

  /** An unnamed worker is the one of the agent whose powers the caplet has. */
  const workerFor = (
    host: FormulaId,
    workerName: NameOrPath | undefined,
    powersId: FormulaId,
  ): FormulaId => {
    if (workerName !== undefined && workerName !== 'MAIN')
      return workerId(host, workerName);
    const type = hubs.typeOf(powersId);
    return workerId(
      type === 'guest' || type === 'host' ? powersId : host,
      undefined,
    );
  };

  /** Within a transaction. Without a name it lives as long as this process. */
  const formulate = (
    host: FormulaId,
    formula: Omit<UnconfinedFormula, 'type'>,
    resultName: NameOrPath | undefined,
  ): FormulaId => {
    const id = ids.makeFormulaId();
    formulas.put(id, harden({ type: 'make-unconfined', ...formula }));
    if (resultName === undefined) collector.hold(id);
    else hubs.bind(hubs.writablePlace(host, pathFrom(resultName)), id);
    return id;
  };

  const start = async (id: FormulaId): Promise<unknown> => {
    await incarnator.settled();
    return incarnator.provide(id);
  };

  const capletAt = (host: FormulaId, path: NamePath): UnconfinedFormula => {
    const formula = hubs.get(hubs.require(host, path));
    if (formula?.type === 'make-unconfined') return formula;
    throw Error(
      `${formatPath(path)} is not an unconfined caplet but a value of the kind ${formula?.type ?? 'nothing'}`,
    );
  };

  return harden({
    makeUnconfined: async (host, workerName, specifier, options) => {
      const { powersName = 'NONE', resultName, env = {} } = options;
      assertSpecifier(specifier);
      const id = database.transact(() => {
        const powersId = hubs.require(host, pathFrom(powersName));
        const worker = workerFor(host, workerName, powersId);
        const formula = { worker, specifier, powers: powersId, env };
        return formulate(host, formula, resultName);
      });
      return start(id);
    },
    remakeUnconfined: async (host, nameOrPath, specifier, options) => {
      const { resultName, env = {}, keep = [] } = options;
      assertSpecifier(specifier);
      const id = database.transact(() => {
        const path = pathFrom(nameOrPath);
        const old = capletAt(host, path);
        const { worker, powers: powersId } = old;
        const kept = { ...env, ...keptOf(old, keep, path) };
        const formula = { worker, specifier, powers: powersId, env: kept };
        return formulate(host, formula, resultName);
      });
      return start(id);
    },
    cancel: async (host, nameOrPath, reason) => {
      const path = pathFrom(nameOrPath);
      const id = hubs.require(host, path);
      if (hubs.typeOf(id) === 'handle') {
        throw Error(
          `${JSON.stringify(path.join('/'))} is an address for mail, and nothing that runs; cancel the agent or its caplet`,
        );
      }
      await incarnator.cancel(id, reason);
    },
  });
};
harden(makeCaplets);
