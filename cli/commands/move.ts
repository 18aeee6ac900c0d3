import type { Command } from '../powers.ts';
import { defineRelocation } from '../relocating.ts';

/** Gives a value another name in the place of the one it has. */
export const move: Command = defineRelocation({
  name: 'move',
  summary: 'give a value another name, or move it into a directory',
  done: (from, to) => `moved ${from} to ${to}`,
  example: 'move draft notes/today',
});
