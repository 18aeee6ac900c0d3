import { pathToFileURL } from 'node:url';
import type { CliPowers } from './powers.ts';
import { visibleLine } from './visible.ts';

/** Which program a daemon is: what ours say in `ping`, and Endo's does not. */
export type DaemonOrigin = {
  readonly version: string;
  /** Path of its entry. */
  readonly source: string;
  readonly pid: number;
  /** How many others are connected. */
  readonly others: number;
};

/** `undefined` for a daemon that is not one of Hob's. */
export const parseOrigin = (answer: unknown): DaemonOrigin | undefined => {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { version, source, pid, clients } = answer as Record<string, unknown>;
  if (typeof version !== 'string' || typeof source !== 'string')
    return undefined;
  if (typeof pid !== 'number' || typeof clients !== 'number') return undefined;
  return harden({ version, source, pid, others: clients - 1 });
};
harden(parseOrigin);

/** How the daemon that answers differs from the one that this program starts. */
export type OtherDaemon = DaemonOrigin & {
  /** Its program is no longer there: it can start no worker. */
  readonly isGone: boolean;
  /** It is of this folder, and of another version. */
  readonly isHere: boolean;
};

/** `undefined` when it is the same, or none of Hob's. */
export const compareDaemon = async (
  { program, files }: Pick<CliPowers, 'program' | 'files'>,
  origin: DaemonOrigin | undefined,
): Promise<OtherDaemon | undefined> => {
  if (origin === undefined) return undefined;
  const isHere = origin.source === program.source;
  if (isHere && origin.version === program.version) return undefined;
  const url = pathToFileURL(origin.source).href;
  const isGone = (await files.findFile(url)) === undefined;
  return harden({ ...origin, isGone, isHere });
};
harden(compareDaemon);

export const describeDaemon = ({
  version,
  source,
  isGone,
}: OtherDaemon): string =>
  `Hob ${visibleLine(version)}, ${visibleLine(source)}${isGone ? ', which is gone' : ''}`;
harden(describeDaemon);

export const REPLACE = 'npm run -s hob -- start --replace';

/** What is to be said of a daemon that is another, in one line. */
export const otherDaemonNote = (
  { program }: Pick<CliPowers, 'program'>,
  other: OtherDaemon,
): string =>
  `the daemon that runs is another program (${describeDaemon(other)}) than this one (Hob ${program.version}, ${program.source}); to replace it: ${REPLACE}`;
harden(otherDaemonNote);
