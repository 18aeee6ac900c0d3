/** A simulation as a person reads it, in 80 columns. */
import { indent, wrap } from '../../cli/layout.ts';
import { visible } from '../../cli/visible.ts';
import type { Simulation, SimulatedCall } from './simulate.ts';

const WIDTH = 80;
const MARGIN = 6;
const LONGEST_RESULT = 400;

export type Emphasis = {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
};

const shorten = (text: string): string =>
  text.length > LONGEST_RESULT
    ? `${text.slice(0, LONGEST_RESULT)}… (${text.length} characters)`
    : text;

/** Broken also within words: no line is longer than the page. */
const block = (text: string): string => {
  const lines = wrap(visible(text), WIDTH - MARGIN).split('\n');
  const longest = new RegExp(`.{1,${WIDTH - MARGIN}}`, 'gu');
  return indent(
    lines.flatMap((line) => line.match(longest) ?? ['']).join('\n'),
    MARGIN,
  );
};

const entry = (name: string, text: string): string => {
  const body = block(text);
  return name.length < MARGIN
    ? body.replace(' '.repeat(name.length), name)
    : body;
};

const describeCall = (
  { name, arguments: given, result, isError }: SimulatedCall,
  { dim }: Emphasis,
): string =>
  [
    entry('tool', `${name} ${shorten(given)}`),
    dim(
      block(
        result === undefined
          ? 'no result'
          : `${isError ? 'error: ' : '→ '}${shorten(result)}`,
      ),
    ),
  ].join('\n');

const plural = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

const summarise = (simulation: Simulation): string => {
  const { ok, milliseconds, modelCalls, calls, tokens } = simulation;
  return wrap(
    `${ok ? 'answered and dismissed' : 'failed'} after ${(milliseconds / 1000).toFixed(1)} s: ` +
      `${plural(modelCalls, 'model call')}, ${plural(calls.length, 'tool call')}; ` +
      `tokens: ${tokens.input} in (${tokens.cached} cached), ${tokens.output} out`,
    WIDTH,
  );
};

/** Ends without a line feed. */
export const describeSimulation = (
  simulation: Simulation,
  emphasis: Emphasis,
): string => {
  const { provider, model, host, mail, calls } = simulation;
  const asked = mail.findIndex(({ from }) => from === 'HOST');
  const letter = ({ from, text }: (typeof mail)[number]) => entry(from, text);
  return [
    emphasis.bold(visible(`${model} (${provider}) at ${host}`)),
    ...mail.slice(0, asked + 1).map(letter),
    ...calls.map((call) => describeCall(call, emphasis)),
    ...mail.slice(asked + 1).map(letter),
    emphasis.bold(summarise(simulation)),
  ].join('\n');
};
