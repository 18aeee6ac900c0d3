import { assertCodeNames } from '../worker/code-names.ts';
import type { CodePowers } from './code-powers.ts';
import type { EvalFormula, FormulaId } from '../formula/formula.ts';
import { isStorable } from '../formula/passable.ts';
import { makeFormulate, type NameOrPath } from '../name/directory-service.ts';
import { pathFrom } from '../name/pet-name.ts';

export type Code = {
  readonly source: string;
  readonly codeNames: readonly string[];
  readonly petNames: readonly NameOrPath[];
};

/** Runs code for a host, in a confined process. */
export type Evaluation = {
  /**
   * Data is stored under `resultName` as data. What holds objects is stored as
   * the code that makes it, which runs again when the value is revived.
   */
  readonly evaluate: (
    host: FormulaId,
    workerName: NameOrPath | undefined,
    code: Code,
    resultName: NameOrPath | undefined,
  ) => Promise<unknown>;
};

const assertCode = ({ codeNames, petNames }: Code): void => {
  if (codeNames.length !== petNames.length) {
    throw Error(
      `evaluate needs a pet name for every code name: it has ${codeNames.length} code names and ${petNames.length} pet names`,
    );
  }
  assertCodeNames(codeNames);
};

export const makeEvaluation = (powers: CodePowers): Evaluation => {
  const { database, formulas, collector, hubs, ids, incarnator, workerId } =
    powers;
  const formulate = makeFormulate(powers);

  const prepare = (
    host: FormulaId,
    workerName: NameOrPath | undefined,
    code: Code,
    resultName: NameOrPath | undefined,
  ): EvalFormula => {
    assertCode(code);
    const values = code.petNames.map((name) =>
      hubs.require(host, pathFrom(name)),
    );
    if (resultName !== undefined)
      hubs.writablePlace(host, pathFrom(resultName));
    const worker = workerId(host, workerName);
    return harden({
      type: 'eval',
      worker,
      source: code.source,
      names: code.codeNames,
      values,
    });
  };

  /** Keeps the code: the objects of the result live on in its worker. */
  const keepCode = (
    id: FormulaId,
    formula: EvalFormula,
    name: (id: FormulaId) => void,
    isNamed: boolean,
  ): void =>
    database.transact(() => {
      formulas.put(id, formula);
      if (!isNamed) collector.hold(id);
      name(id);
    });

  const keepData = (value: unknown, name: (id: FormulaId) => void): void =>
    database.transact(() => {
      name(formulate(value));
    });

  /** Runs it, and keeps of it what is to be kept. */
  const run = async (
    host: FormulaId,
    formula: EvalFormula,
    resultName: NameOrPath | undefined,
  ): Promise<unknown> => {
    const id = ids.makeFormulaId();
    const value = await incarnator.begin(id, formula);
    const name = (result: FormulaId): void => {
      if (resultName !== undefined)
        hubs.bind(hubs.writablePlace(host, pathFrom(resultName)), result);
    };
    let livesOn = false;
    try {
      if (!isStorable(value, incarnator.idOf)) {
        keepCode(id, formula, name, resultName !== undefined);
        livesOn = true;
      } else if (resultName !== undefined) keepData(value, name);
      return value;
    } finally {
      if (!livesOn)
        await incarnator.release(id, Error('the evaluation is over'));
    }
  };

  return harden({
    evaluate: async (host, workerName, code, resultName) => {
      const formula = prepare(host, workerName, code, resultName);
      // Their names may be removed while the code runs.
      const letGo = [formula.worker, ...formula.values].map(collector.hold);
      try {
        return await run(host, formula, resultName);
      } finally {
        database.transact(() => {
          for (const release of letGo) release();
        });
      }
    },
  });
};
harden(makeEvaluation);
