import { E, Far } from '@endo/far';
import { makeExo } from '@endo/exo';
import { M } from '@endo/patterns';
import { makePromiseKit } from '@endo/promise-kit';
import { assertName } from './fake-names.ts';
import type { FakeFormulas } from './fake-formulas.ts';
import type { NameOrPath } from './fake-names.ts';

/** Proposals of the fake world: decided once, and remembered. */

export type FakeProposal = {
  readonly source: string;
  readonly codeNames: readonly string[];
  readonly petNamePaths: readonly (readonly string[])[];
  readonly edgeNames: readonly string[];
  readonly ids: readonly string[];
  readonly resultName: readonly string[] | undefined;
  readonly resultId: string;
  readonly settled: Promise<unknown>;
  readonly result: Promise<unknown>;
  /** In the proposer's directory. */
  readonly writeResult: (id: string) => Promise<void>;
  readonly fulfill: (value: unknown) => void;
  readonly fail: (reason: Error) => void;
  state: string;
  counteredBy: string | undefined;
};

const toPath = (nameOrPath: NameOrPath): readonly string[] =>
  typeof nameOrPath === 'string' ? [nameOrPath] : nameOrPath;

/** Unique, and taken from what the proposer calls the values. */
const edgeNamesOf = (
  paths: readonly (readonly string[])[],
): readonly string[] => {
  const taken = new Set<string>();
  return paths.map((path) => {
    const name = path.at(-1)?.toLowerCase() ?? 'value';
    let edge = name;
    for (let count = 2; taken.has(edge); count += 1) edge = `${name}-${count}`;
    taken.add(edge);
    return edge;
  });
};

export const makeFakeProposal = async (
  formulas: FakeFormulas,
  identified: (path: NameOrPath) => Promise<string>,
  writeResult: (path: NameOrPath, id: string) => Promise<void>,
  source: string,
  codeNames: readonly string[],
  petNames: readonly NameOrPath[],
  resultName: NameOrPath | undefined,
): Promise<FakeProposal> => {
  if (codeNames.length !== petNames.length) {
    throw Error(
      `Evaluator must have one code name (${codeNames.length}) for every pet name (${petNames.length})`,
    );
  }
  const petNamePaths = petNames.map(toPath);
  const ids = await Promise.all(petNames.map(identified));
  const resultPath = resultName === undefined ? undefined : toPath(resultName);
  resultPath?.forEach(assertName);
  const { promise, resolve, reject } = makePromiseKit<unknown>();
  // Told to whoever awaits it; nobody need.
  promise.catch(() => undefined);
  return {
    source,
    codeNames,
    petNamePaths,
    edgeNames: edgeNamesOf(petNamePaths),
    ids,
    resultName: resultPath,
    resultId: formulas.provide(promise),
    settled: promise.then(
      () => 'fulfilled',
      () => 'rejected',
    ),
    result: promise,
    writeResult: (id) =>
      resultPath === undefined
        ? Promise.resolve()
        : writeResult(resultPath, id),
    fulfill: resolve,
    fail: reject,
    state: 'open',
    counteredBy: undefined,
  };
};

/** As proposer and reviewer see it; Endo's own daemon keeps no state. */
export const viewFakeProposal = (
  proposal: FakeProposal,
  isProposer: boolean,
  strict: boolean,
): { readonly [key: string]: unknown } => {
  const { source, codeNames, petNamePaths, edgeNames, ids } = proposal;
  const { settled, result, resultId, resultName, state, counteredBy } =
    proposal;
  return {
    type: isProposer ? 'eval-proposal-proposer' : 'eval-proposal-reviewer',
    ...{ source, codeNames, petNamePaths, edgeNames, ids },
    ...{ settled, result, resultId },
    ...(isProposer && resultName !== undefined ? { resultName } : {}),
    ...(strict ? { state } : {}),
    ...(strict && counteredBy !== undefined ? { counteredBy } : {}),
  };
};

/** Runs the code with the values that were identified when it was proposed. */
export const grantFakeProposal = async (
  proposal: FakeProposal,
  formulas: FakeFormulas,
): Promise<unknown> => {
  if (proposal.state !== 'open') {
    throw Error(`This proposal is already ${proposal.state}`);
  }
  proposal.state = 'running';
  const values = proposal.codeNames.map((name, index) => [
    name,
    formulas.valueOf(proposal.ids[index] ?? ''),
  ]);
  try {
    const compartment = new Compartment({
      ...{ E, Far, M, makeExo, harden },
      ...(Object.fromEntries(values) as { readonly [name: string]: unknown }),
    });
    const value = harden(
      await compartment.evaluate(proposal.source),
    ) as unknown;
    await proposal.writeResult(formulas.provide(value));
    proposal.state = 'granted';
    proposal.fulfill(value);
    return value;
  } catch (error) {
    proposal.state = 'failed';
    const reason = Error(
      `granted, but the code failed: ${(error as Error).message}`,
    );
    proposal.fail(reason);
    throw reason;
  }
};

export const rejectFakeProposal = (
  proposal: FakeProposal,
  reason: string,
): void => {
  if (proposal.state !== 'open') {
    throw Error(`This proposal is already ${proposal.state}`);
  }
  proposal.state = 'rejected';
  proposal.fail(Error(reason));
};
