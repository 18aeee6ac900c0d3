import type { JsonSchema } from '../model/chat.ts';
import { parseParameterSchema } from './parameter-schema.ts';
import { copyPlainJson, isJsonRecord } from './plain-json.ts';
import { toPlainText } from './plain-text.ts';

/** What a tool says of itself, checked: data alone, and bounded. */
export type AdoptedSchema = {
  /** As it calls itself; not yet a function name. */
  readonly name: string;
  /** One line of plain text. */
  readonly description: string;
  readonly parameters: JsonSchema;
};

const LIMITS = harden({ maxDepth: 16, maxValues: 2000, maxText: 64 * 1024 });
const DESCRIPTION_LENGTH = 500;
const NAME_LENGTH = 256;
/** Of the parameters, in UTF-16 code units: they are in every request. */
const PARAMETERS_LENGTH = 16 * 1024;

/**
 * Reads what `schema()` of a tool answered. All of it is data of a stranger:
 * it is copied, cut and checked (architecture.md, "Tools").
 *
 * @throws Error with what is wrong, as words to follow "because"
 */
export const parseAdoptedSchema = (raw: unknown): AdoptedSchema => {
  const schema = copyPlainJson(raw, LIMITS);
  if (!isJsonRecord(schema)) throw Error('its schema is no record');
  const { type, function: described } = schema;
  if (type !== 'function' || !isJsonRecord(described)) {
    throw Error('its schema does not describe a function');
  }
  const { name, description = '' } = described;
  if (typeof name !== 'string' || name.trim() === '') {
    throw Error('its schema has no name');
  }
  if (name.length > NAME_LENGTH) throw Error('its name is too long');
  if (typeof description !== 'string') {
    throw Error('its description is not a text');
  }
  const parameters = parseParameterSchema(described['parameters']);
  if (JSON.stringify(parameters).length > PARAMETERS_LENGTH) {
    throw Error(
      `its parameters take more than ${PARAMETERS_LENGTH} characters`,
    );
  }
  return harden({
    name: toPlainText(name, NAME_LENGTH),
    description: toPlainText(description, DESCRIPTION_LENGTH),
    parameters,
  });
};
harden(parseAdoptedSchema);

/** Whether a tool still says the same of itself. */
export const isSameSchema = (a: AdoptedSchema, b: AdoptedSchema): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
harden(isSameSchema);
