import { defineExoClass } from '@endo/exo';
import { E } from '@endo/far';

import type { ToolSchema } from '../model/chat.ts';
import type { PlainRecord } from './argument-text.ts';
import { FaeToolI, type FaeTool } from './fae-tool.ts';
import type { ToolEntry } from './registry.ts';
import { decodeBySchema } from './schema-arguments.ts';
import type { ToolRecord } from './tool-records.ts';

/** How an adopted tool is reached. */
export type ToolAccess = {
  /** The capability under this pet name; rejects when it is not this one. */
  readonly find: (petName: string, id: string) => Promise<FaeTool>;
  /** A call has failed: it may have become another tool. Never rejects. */
  readonly recheck: (petName: string, id: string) => Promise<void>;
};

type Bound = {
  readonly record: ToolRecord;
  readonly schema: ToolSchema;
  readonly access: ToolAccess;
};

const schemaFor = ({
  petName,
  functionName,
  from = 'somebody, through your directory',
  schema: { description, parameters },
}: ToolRecord): ToolSchema =>
  harden({
    type: 'function',
    function: {
      name: functionName,
      description: `Adopted tool tools/${petName}, from ${from}; in its own words: ${JSON.stringify(description)}`,
      parameters,
    },
  });

// What the registry calls. The capability is looked up for each call, so that
// a worker that ended, and came back, costs no more than the call it broke.
const makeAdoptedTool = defineExoClass(
  'FaeTool',
  FaeToolI,
  (bound: Bound) => ({ bound }),
  {
    schema() {
      return this.state.bound.schema;
    },
    async execute(args: PlainRecord) {
      const { record, access } = this.state.bound;
      const { petName, id } = record;
      const tool = await access.find(petName, id);
      try {
        return await E(tool).execute(args);
      } catch (error) {
        await access.recheck(petName, id);
        throw error;
      }
    },
    help() {
      return this.state.bound.record.schema.description;
    },
  },
);

/** An adopted tool as the registry has it: called through its pet name. */
export const makeAdoptedEntry = (
  record: ToolRecord,
  access: ToolAccess,
): ToolEntry => {
  const schema = schemaFor(record);
  const { functionName: name } = record;
  return harden({
    name,
    schema,
    effect: 'once',
    tool: makeAdoptedTool({ record, schema, access }),
    decode: (given: PlainRecord) =>
      decodeBySchema(name, record.schema.parameters, given),
  });
};
harden(makeAdoptedEntry);
