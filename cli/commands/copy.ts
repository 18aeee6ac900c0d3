import type { Command } from '../powers.ts';
import { defineRelocation } from '../relocating.ts';

/** Gives a value one more name: both stand for the same value. */
export const copy: Command = defineRelocation({
  name: 'copy',
  summary: 'give a value one more name',
  done: (from, to) => `${to} now names what ${from} does`,
  example: 'copy notes/today latest',
});
