import type { AdmittedPath } from '../endo/name-gate.ts';
import type { TurnPowers } from './turn-powers.ts';

/** Names of outcomes are looked for no further than this. */
const MOST_NAMES = 10_000;

/** Rejects when the name has a value, or an open proposal or request will give it one. */
export const assertFree = async (
  path: AdmittedPath,
  { directory, asking }: TurnPowers,
): Promise<void> => {
  const shown = JSON.stringify(path.join('/'));
  const otherwise =
    'Nothing was asked. Choose another name, or give "replace": true.';
  if (asking.isPromised(path)) {
    throw Error(
      `${shown} is promised to the outcome of something that you have asked already. ${otherwise}`,
    );
  }
  if (await directory.has(path)) {
    throw Error(`${shown} already names something. ${otherwise}`);
  }
};
harden(assertFree);

/** The first of `answer-1`, `answer-2` … that nothing has, or will have. */
export const chooseFreeName = async ({
  directory,
  asking,
  names,
}: TurnPowers): Promise<AdmittedPath> => {
  for (let count = 1; count <= MOST_NAMES; count += 1) {
    const path = await names.admit([`answer-${count}`]);
    if (!asking.isPromised(path) && !(await directory.has(path))) return path;
  }
  throw Error(
    'No free name was found for the answer. Nothing was asked. Give a responseName.',
  );
};
harden(chooseFreeName);
