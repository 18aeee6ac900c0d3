/** What the kernel counts of processes. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const numberIn = (file: string, pattern: RegExp): number =>
  Number(pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? NaN);

/** Resident memory in MB. */
export const residentMb = (pid: number): number =>
  numberIn(`/proc/${pid}/status`, /VmRSS:\s+(\d+)/u) / 1024;
harden(residentMb);

/** Bytes that it has had written to the disk since its start, in whole pages. */
export const writtenBytes = (pid: number): number =>
  numberIn(`/proc/${pid}/io`, /^write_bytes: (\d+)/mu);
harden(writtenBytes);

export const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry))
    .map(Number)
    .filter((each) => {
      try {
        const stat = readFileSync(`/proc/${each}/stat`, 'utf8');
        return Number(stat.split(') ')[1]?.split(' ')[1]) === pid;
      } catch (error) {
        // It ended between the listing and the look.
        if (error instanceof Error) return false;
        throw error;
      }
    });
harden(childrenOf);
