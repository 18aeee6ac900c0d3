import { M, type Pattern } from '@endo/patterns';

import type { AdmittedPath, NameGate } from '../endo/name-gate.ts';
import type { JsonSchema } from '../model/chat.ts';
import {
  decodeEdgeName,
  decodeEdgeNameList,
  decodeFlag,
  decodeMessageNumber,
  decodePassable,
  decodePath,
  decodePathList,
  decodeText,
  decodeTextList,
  type Decoding,
} from './argument-codec.ts';
import { MAX_ARGUMENT_TEXT } from './argument-text.ts';

/** What every tool holds, whatever else: the gate for the names it is given. */
export type ToolPowers = { readonly names: Pick<NameGate, 'admit'> };

/**
 * One parameter: all that is known of it, in one place. `Value` is what
 * `execute` sees; `Needed` is false where the model may leave it out.
 */
export type Parameter<Value, Needed extends boolean = boolean> = {
  readonly schema: JsonSchema;
  /** What is wanted, in words, for errors. */
  readonly wanted: string;
  /** Other names that are accepted, and not shown. */
  readonly aliases: readonly string[];
  readonly needed: Needed;
  /** From the model's JSON value to what passes the guard. */
  readonly decode: (given: unknown) => Decoding<unknown>;
  /** Of the decoded value: the guard of the exo. */
  readonly shape: Pattern;
  /** Whether an empty text, an empty list or null is the same as left out. */
  readonly emptyIsAbsent: boolean;
  /** From the guarded value, or `undefined` when left out, to `Value`. */
  readonly finish: (guarded: unknown, powers: ToolPowers) => Promise<Value>;
};

export type Hints = { readonly aliases?: readonly string[] };

type Kind = {
  readonly schema: JsonSchema;
  readonly wanted: string;
  readonly decode: (given: unknown) => Decoding<unknown>;
  readonly shape: Pattern;
  readonly emptyIsAbsent?: boolean;
};

const LIMITS = harden({ stringLengthLimit: MAX_ARGUMENT_TEXT });
const textShape = M.string(LIMITS);
const pathShape = M.arrayOf(textShape, harden({ arrayLengthLimit: 64 }));

const textItems = harden({ type: 'array', items: { type: 'string' } });

const makeParameter = <Value>(
  kind: Kind,
  description: string,
  { aliases = [] }: Hints,
  finish: (guarded: unknown, powers: ToolPowers) => Promise<Value>,
): Parameter<Value, true> =>
  harden({
    ...kind,
    schema: description === '' ? kind.schema : { ...kind.schema, description },
    aliases,
    needed: true,
    emptyIsAbsent: kind.emptyIsAbsent ?? false,
    finish,
  });

/** A kind whose guarded value is what `execute` sees. */
const defineKind =
  <Value>(kind: Kind) =>
  (description = '', hints: Hints = {}): Parameter<Value, true> =>
    makeParameter(kind, description, hints, (guarded) =>
      Promise.resolve(guarded as Value),
    );

export const text = defineKind<string>({
  schema: { type: 'string' },
  wanted: 'a text',
  decode: decodeText,
  shape: textShape,
});
harden(text);

export const textList = defineKind<readonly string[]>({
  schema: textItems,
  wanted: 'a list of texts',
  decode: decodeTextList,
  shape: M.arrayOf(textShape),
});
harden(textList);

export const flag = defineKind<boolean>({
  schema: { type: 'boolean' },
  wanted: 'true or false',
  decode: decodeFlag,
  shape: M.boolean(),
});
harden(flag);

export const messageNumber = defineKind<bigint>({
  schema: { type: 'integer' },
  wanted: 'the whole number of a message, such as 5',
  decode: decodeMessageNumber,
  shape: M.nat(),
});
harden(messageNumber);

export const wholeNumber = defineKind<bigint>({
  schema: { type: 'integer' },
  wanted: 'a whole number that is not negative',
  decode: decodeMessageNumber,
  shape: M.nat(),
});
harden(wholeNumber);

export const edgeName = defineKind<string>({
  schema: { type: 'string' },
  wanted: 'the name of a value in a message',
  decode: decodeEdgeName,
  shape: textShape,
});
harden(edgeName);

export const edgeNameList = defineKind<readonly string[]>({
  schema: textItems,
  wanted: 'a list of names for the values in a message',
  decode: decodeEdgeNameList,
  shape: M.arrayOf(textShape),
});
harden(edgeNameList);

export const passable = defineKind<unknown>({
  schema: {},
  wanted: 'a JSON or SmallCaps value',
  decode: decodePassable,
  shape: M.any(),
});
harden(passable);

/** A pet name or a path, which passes the gate before the tool runs. */
export const name = (
  description = '',
  hints: Hints = {},
): Parameter<AdmittedPath, true> =>
  makeParameter(
    {
      schema: { type: 'string' },
      wanted: 'a pet name such as "a", or a path such as "a/b"',
      decode: decodePath,
      shape: pathShape,
      emptyIsAbsent: true,
    },
    description,
    hints,
    (guarded, powers) => powers.names.admit(guarded),
  );
harden(name);

/** Several pet names or paths, each of which passes the gate. */
export const nameList = (
  description = '',
  hints: Hints = {},
): Parameter<readonly AdmittedPath[], true> =>
  makeParameter(
    {
      schema: textItems,
      wanted: 'a list of pet names or paths',
      decode: decodePathList,
      shape: M.arrayOf(pathShape),
    },
    description,
    hints,
    async (guarded, powers) =>
      Promise.all(
        (guarded as readonly unknown[]).map((path) => powers.names.admit(path)),
      ),
  );
harden(nameList);

type Optional = {
  <Value>(
    parameter: Parameter<Value, true>,
  ): Parameter<Value | undefined, false>;
  <Value>(
    parameter: Parameter<Value, true>,
    fallback: NoInfer<Value>,
  ): Parameter<Value, false>;
};

/** The same parameter, which may be left out; `fallback` then stands for it. */
export const optional: Optional = <Value>(
  parameter: Parameter<Value, true>,
  fallback?: Value,
): Parameter<Value, false> =>
  harden({
    ...parameter,
    needed: false,
    finish: async (guarded: unknown, powers: ToolPowers) =>
      guarded === undefined
        ? (fallback as Value)
        : parameter.finish(guarded, powers),
  });
harden(optional);
