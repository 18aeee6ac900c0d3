import type { CodePowers } from './code-powers.ts';
import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import { pathFrom } from '../name/pet-name.ts';

export type CapletOptions = {
  /** Whose powers it gets. None when it is not given. */
  readonly powersName?: NameOrPath | undefined;
  readonly resultName?: NameOrPath | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
};

export type Caplets = {
  /** Formulates and names the caplet, ends what had that name, and makes it. */
  readonly makeUnconfined: (
    host: FormulaId,
    workerName: NameOrPath | undefined,
    specifier: string,
    options: CapletOptions,
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

  return harden({
    makeUnconfined: async (host, workerName, specifier, options) => {
      const { powersName = 'NONE', resultName, env = {} } = options;
      assertSpecifier(specifier);
      const id = ids.makeFormulaId();
      database.transact(() => {
        const powersId = hubs.require(host, pathFrom(powersName));
        const worker = workerFor(host, workerName, powersId);
        formulas.put(
          id,
          harden({
            type: 'make-unconfined',
            worker,
            specifier,
            powers: powersId,
            env,
          }),
        );
        if (resultName === undefined) collector.hold(id);
        else hubs.bind(hubs.writablePlace(host, pathFrom(resultName)), id);
      });
      await incarnator.settled();
      return incarnator.provide(id);
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
