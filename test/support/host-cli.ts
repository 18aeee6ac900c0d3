import type { Ran, RunOptions } from '../cli/in-process.ts';
import { makeCli } from '../cli/in-process.ts';

/** A message as `inbox --json` tells it. */
export type ListedMail = {
  readonly number: string;
  readonly messageId: string;
  readonly replyTo?: string;
  readonly type: string;
  readonly strings?: readonly string[];
  readonly source?: string;
  readonly description?: string;
  readonly state?: string;
};

/** What a HOST does at the command line, and sees of it. */
export type HostCli = {
  readonly hob: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** All of the mail, or that of one of the HOST's guests. */
  readonly mail: (as?: string) => Promise<readonly ListedMail[]>;
  /** The newest message that fits, once there is one. */
  readonly mailOnce: (
    fits: (mail: ListedMail) => boolean,
  ) => Promise<ListedMail>;
};

export const makeHostCli = (statePath: string): HostCli => {
  const hob = makeCli(statePath);
  const mail = async (as?: string): Promise<readonly ListedMail[]> => {
    const acting = as === undefined ? [] : ['--as', `profile-for-${as}`];
    const { out, err } = await hob(['inbox', '--json', ...acting]);
    if (err !== '') throw Error(err);
    return JSON.parse(out) as readonly ListedMail[];
  };
  return {
    hob,
    mail,
    mailOnce: async (fits) => {
      let found: ListedMail | undefined;
      let looking = Promise.resolve();
      // Each message that comes is a reason to look again.
      await hob(['inbox', '--follow'], {
        onText: (_text, { ctrlC }) => {
          looking = looking.then(async () => {
            found ??= (await mail()).findLast(fits);
            if (found !== undefined) ctrlC();
          });
        },
      });
      await looking;
      if (found === undefined) throw Error('The mail has ended');
      return found;
    },
  };
};
