import type {
  Directory,
  Following,
  NameChange,
  NamePath,
} from '../endo/guest.ts';
import { makeKeyedQueue } from './keyed-queue.ts';

export const TOOLS: readonly string[] = harden(['tools']);
harden(TOOLS);

/**
 * No turn gives the name `tools` to what came from somebody: whoever owned that
 * directory would put tools into it, and take them out, for ever after.
 *
 * @throws Error that says where a tool goes
 */
export const assertNotToolsItself = (path: NamePath): void => {
  if (path.length !== 1 || path[0] !== TOOLS[0]) return;
  throw Error(
    '"tools" is the directory of your tools, and names nothing else. A tool goes into it, as "tools/greet"',
  );
};
harden(assertNotToolsItself);

/**
 * What is followed of `tools/`: its changes come by themselves, so that asking
 * for them costs nothing.
 */
export type ToolsFolder = {
  /**
   * Follows the directory that has the name now; does nothing when that is
   * followed already. Resolves to whether there is one, and it is new.
   */
  readonly follow: () => Promise<'same' | 'new' | 'none'>;
  readonly close: () => void;
};

export const makeToolsFolder = ({
  guest,
  onChange,
}: {
  readonly guest: Pick<Directory, 'identify' | 'followNameChanges'>;
  readonly onChange: (change: NameChange) => void;
}): ToolsFolder => {
  const inTurn = makeKeyedQueue();
  let followed:
    | { readonly id: string; readonly changes: Following<NameChange> }
    | undefined;
  let closed = false;

  const pump = async (changes: Following<NameChange>): Promise<void> => {
    for (;;) {
      // A change that cannot be read says nothing; the end comes as such.
      const change = await changes.next().catch(() => undefined);
      if (change?.done === true) return;
      if (change !== undefined) onChange(change.value);
    }
  };

  const letGo = (): void => {
    followed?.changes.close().catch(() => {
      // The daemon is gone, and the stream with it.
    });
    followed = undefined;
  };

  return harden({
    follow: () =>
      inTurn('follow', async () => {
        const id = await guest.identify(TOOLS);
        if (closed || id === undefined) letGo();
        if (closed || id === undefined) return 'none';
        if (id === followed?.id) return 'same';
        letGo();
        const changes = guest.followNameChanges(TOOLS);
        followed = { id, changes };
        void pump(changes);
        return 'new';
      }),
    close: () => {
      closed = true;
      letGo();
    },
  });
};
harden(makeToolsFolder);
