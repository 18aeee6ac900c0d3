import { defineTool } from './define-tool.ts';
import {
  optional,
  text,
  type ToolPowers,
  wholeNumber,
} from './parameter-kinds.ts';
import { makeStaticEntry, type ToolSource } from './registry.ts';
import { boundText, RESULT_LIMIT } from './render.ts';

/** All that is kept in one turn, in UTF-16 code units. */
const KEPT = 8 * 1024 * 1024;

export const READ_RESULT = 'readResult';
harden(READ_RESULT);

/** The rest of results that were too long to be shown: for one turn. */
export type KeptResults = {
  /** Keeps a result; returns, for the model, how to read on. */
  readonly keepRest: (whole: string, shown: number) => string;
  /** `readResult`, from when it is of use. */
  readonly source: ToolSource;
};

type ReaderPowers = ToolPowers & {
  readonly read: (id: string, from: number) => string;
};

const readResult = defineTool({
  name: READ_RESULT,
  description: 'The rest of a result that was cut.',
  effect: 'read',
  parameters: {
    id: text('', { aliases: ['result', 'resultId'] }),
    from: optional(
      wholeNumber('first character', { aliases: ['offset', 'start'] }),
      0n,
    ),
  },
  execute: ({ id, from }, { read }: ReaderPowers) =>
    Promise.resolve(read(id, Number(from))),
});

const advice = (id: string, from: number): string =>
  `${READ_RESULT} with id "${id}" and from ${from} goes on`;

export const makeKeptResults = (): KeptResults => {
  const kept = new Map<string, string>();
  let count = 0;
  let size = 0;

  const makeRoom = (): void => {
    for (const [id, whole] of kept) {
      if (size <= KEPT) return;
      kept.delete(id);
      size -= whole.length;
    }
  };

  const read = (id: string, from: number): string => {
    const whole = kept.get(id);
    if (whole === undefined) {
      const ids = [...kept.keys()].map((each) => JSON.stringify(each));
      throw Error(
        `No result ${JSON.stringify(id.slice(0, 40))} is kept; there ${ids.length === 1 ? 'is' : 'are'} ${ids.join(', ')}`,
      );
    }
    if (from >= whole.length) {
      throw Error(`The result "${id}" has only ${whole.length} characters`);
    }
    return boundText(whole.slice(from), RESULT_LIMIT, (_rest, shown) =>
      advice(id, from + shown),
    );
  };

  const entry = makeStaticEntry(readResult, {
    names: { admit: () => Promise.reject(Error('It takes no names')) },
    read,
  });
  const entries = harden([entry]);
  return harden({
    keepRest: (whole: string, shown: number) => {
      count += 1;
      const id = `r${count}`;
      size += whole.length;
      kept.set(id, whole);
      makeRoom();
      return advice(id, shown);
    },
    source: { entries: () => (count === 0 ? harden([]) : entries) },
  });
};
harden(makeKeptResults);
