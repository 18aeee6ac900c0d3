import type { Directory } from '../endo/guest.ts';
import { askForSchema } from './tool-probe.ts';
import { TOOLS } from './tools-folder.ts';
import type { TimePowers } from './within.ts';

/**
 * Names of the guest that its setup bound to tools: a list of pet names, which
 * setup stores when it introduces them. Only these are looked at.
 */
const INTRODUCED = 'hob-introduced';

/**
 * Moves introduced tools from the guest's own directory into `tools/`
 * (fae-architecture.md, "Startup"), resolves to their names, and takes the
 * list away. What is no FaeTool stays where it is, with a word in the log; a
 * crash on the way is made up for at the next start.
 *
 * @param names - what is in the guest's own directory
 */
export const moveIntroduced = async (
  guest: Directory,
  names: readonly string[],
  {
    time,
    onTrouble,
  }: {
    readonly time: TimePowers;
    readonly onTrouble: (during: string, cause: unknown) => void;
  },
): Promise<readonly string[]> => {
  if (!names.includes(INTRODUCED)) return harden([]);
  const list: unknown = await guest.lookup([INTRODUCED]);
  const wanted = names.filter(
    (name) => Array.isArray(list) && list.includes(name),
  );
  const moved: string[] = [];

  const move = async (name: string): Promise<void> => {
    const target = harden([...TOOLS, name]);
    if (!(await guest.has(TOOLS))) await guest.makeDirectory(TOOLS);
    if (await guest.has(target)) {
      throw Error(`${target.join('/')} is there already`);
    }
    await guest.move([name], target);
    moved.push(name);
  };

  const asked = await Promise.allSettled(
    wanted.map((name) => askForSchema(guest.lookup([name]), time)),
  );
  for (const [index, name] of wanted.entries()) {
    const during = `introducing ${name} as a tool`;
    const answer = asked[index];
    if (answer?.status === 'rejected') onTrouble(during, answer.reason);
    else await move(name).catch((cause: unknown) => onTrouble(during, cause));
  }
  await guest.remove([INTRODUCED]);
  return harden(moved);
};
harden(moveIntroduced);
