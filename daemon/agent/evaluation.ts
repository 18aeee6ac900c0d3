import { assertCode, type Code } from './code.ts';
import type { CodePowers } from './code-powers.ts';
import type { RunCode } from './code-runs.ts';
import type { EvalFormula, FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import { pathFrom } from '../name/pet-name.ts';

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

export type EvaluationPowers = Pick<
  CodePowers,
  'collector' | 'hubs' | 'workerId'
> & { readonly runCode: RunCode };

export const makeEvaluation = (powers: EvaluationPowers): Evaluation => {
  const { collector, hubs, workerId, runCode } = powers;

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

  return harden({
    evaluate: async (host, workerName, code, resultName) => {
      const formula = prepare(host, workerName, code, resultName);
      return runCode(formula, ({ isData, keep }) => {
        if (resultName !== undefined)
          hubs.bind(hubs.writablePlace(host, pathFrom(resultName)), keep());
        // Without a name it lives as long as this process.
        else if (!isData) collector.hold(keep());
      });
    },
  });
};
harden(makeEvaluation);
