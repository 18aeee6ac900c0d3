import {
  getInterfaceOf,
  nameForPassableSymbol,
  passStyleOf,
} from '@endo/pass-style';

/** What of a result the model sees at once, in bytes of UTF-8. */
export const RESULT_LIMIT = 32 * 1024;
harden(RESULT_LIMIT);
/** Beyond this no text is built at all, in UTF-16 code units. */
const BUILD_LIMIT = 8 * 1024 * 1024;
/** Room that the notice about a cut keeps free. */
const NOTICE_ROOM = 256;
const MAX_DEPTH = 48;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
// All but line feed, tab and the joiners: control characters, lone surrogates,
// and what reorders or hides text, such as tags.
const INVISIBLE =
  /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

const escapeUnits = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

const makeVisible = (text: string): string =>
  text.replace(INVISIBLE, escapeUnits);

const styleOf = passStyleOf as (value: unknown) => string;

type TaggedValue = {
  readonly payload: unknown;
  readonly [Symbol.toStringTag]: string;
};

/** Thrown by the writer when the text is long enough. */
class FullError extends Error {}

type Writer = {
  readonly write: (text: string) => void;
  readonly text: () => string;
};

const makeWriter = (): Writer => {
  const parts: string[] = [];
  let length = 0;
  return {
    write: (text) => {
      parts.push(text);
      length += text.length;
      if (length > BUILD_LIMIT) {
        throw new FullError('The text of a result is long enough');
      }
    },
    text: () => parts.join(''),
  };
};

const PLAIN_NAME = /^[\w$][\w$ .-]{0,63}$/u;

/** Its maker chose it: whatever is no plain name stands within quotes. */
const shownName = (name: string): string =>
  PLAIN_NAME.test(name) ? name : JSON.stringify(name);

const nameOfRemotable = (value: unknown): string =>
  shownName(
    (getInterfaceOf(value) ?? 'Remotable').replace(
      /^(?:Alleged|DebugName): /,
      '',
    ),
  );

const writeSequence = (
  writer: Writer,
  [open, close]: readonly [string, string],
  items: readonly (() => void)[],
): void => {
  writer.write(open);
  for (const [index, writeItem] of items.entries()) {
    if (index > 0) {
      writer.write(', ');
    }
    writeItem();
  }
  writer.write(close);
};

const writeObject = (writer: Writer, value: object, depth: number): void => {
  const style = styleOf(value);
  const inner = depth + 1;
  switch (style) {
    case 'copyArray':
      writeSequence(
        writer,
        ['[', ']'],
        (value as unknown[]).map(
          (item) => () => writeValue(writer, item, inner),
        ),
      );
      break;
    case 'copyRecord':
      writeSequence(
        writer,
        ['{ ', ' }'],
        Object.entries(value).map(([key, item]) => () => {
          writer.write(`${IDENTIFIER.test(key) ? key : JSON.stringify(key)}: `);
          writeValue(writer, item, inner);
        }),
      );
      break;
    case 'tagged': {
      const { payload, [Symbol.toStringTag]: tag } = value as TaggedValue;
      writer.write(`${shownName(tag)}(`);
      writeValue(writer, payload, inner);
      writer.write(')');
      break;
    }
    case 'remotable':
      writer.write(`<${nameOfRemotable(value)}>`);
      break;
    case 'promise':
      writer.write('<promise>');
      break;
    case 'error':
      writer.write(
        `${(value as Error).name}(${JSON.stringify((value as Error).message)})`,
      );
      break;
    default:
      writer.write(`<${style}>`);
  }
};

const writeValue = (writer: Writer, value: unknown, depth: number): void => {
  if (depth > MAX_DEPTH) {
    writer.write('<nested too deep>');
  } else if (typeof value === 'string') {
    writer.write(JSON.stringify(value));
  } else if (typeof value === 'bigint') {
    writer.write(`${value}n`);
  } else if (typeof value === 'symbol') {
    const name = nameForPassableSymbol(value) ?? 'not passable';
    writer.write(`symbol(${JSON.stringify(name)})`);
  } else if (Object.is(value, -0)) {
    writer.write('0');
  } else if (
    (typeof value === 'object' && value !== null) ||
    typeof value === 'function'
  ) {
    writeObject(writer, value, depth);
  } else {
    // undefined, null, a boolean or a number: the same in JavaScript.
    writer.write(String(value));
  }
};

/**
 * A result as a text to be read: strings as they are, anything else like
 * Justin (`{ number: 5n, sender: <Handle> }`), control characters visible.
 *
 * Contract: never throws, and builds at most 8 Mi characters.
 */
export const render = (value: unknown): string => {
  if (typeof value === 'string') {
    return makeVisible(value.slice(0, BUILD_LIMIT));
  }
  const writer = makeWriter();
  try {
    writeValue(writer, harden(value), 0);
  } catch (error) {
    if (!(error instanceof FullError)) {
      return `<a ${typeof value} that cannot be shown: ${describeError(error)}>`;
    }
  }
  return makeVisible(writer.text().slice(0, BUILD_LIMIT));
};
harden(render);

/** What an error says, whatever was thrown. Contract: never throws. */
export const describeError = (error: unknown): string => {
  try {
    if (error instanceof Error) {
      return makeVisible(error.message || error.name);
    }
    return typeof error === 'string' ? makeVisible(error) : render(error);
  } catch {
    // A hostile object can throw from any of these; there is nothing to tell.
    return 'an error that cannot be shown';
  }
};
harden(describeError);

/**
 * Cuts a text to what the model is shown, at a character, and says how much
 * was left out. `keepRest` stores the whole and returns how to read on after
 * the first `shown` UTF-16 code units.
 */
export const boundText = (
  text: string,
  limit: number = RESULT_LIMIT,
  keepRest?: (whole: string, shown: number) => string,
): string => {
  // A code unit takes at most three bytes.
  if (text.length * 3 <= limit) {
    return text;
  }
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(limit);
  if (encoder.encodeInto(text, buffer).read === text.length) {
    return text;
  }
  const room = buffer.subarray(0, Math.max(0, limit - NOTICE_ROOM));
  const { read } = encoder.encodeInto(text, room);
  const advice = keepRest?.(text, read) ?? 'ask for less at a time';
  return `${text.slice(0, read)}\n[cut: ${text.length - read} of ${text.length} characters are not shown; ${advice}]`;
};
harden(boundText);
