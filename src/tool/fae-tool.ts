import { M } from '@endo/patterns';

import type { ToolSchema } from '../model/chat.ts';

/**
 * One kind of tool (fae-architecture.md, "FaeTool Interface"). Static tools are
 * local exos, adopted ones far references; both are called through `E()`.
 */
export const FaeToolI = M.interface('FaeTool', {
  schema: M.call().returns(M.record()),
  execute: M.callWhen(M.record()).returns(M.any()),
  help: M.call().returns(M.string()),
});
harden(FaeToolI);

/** What `E(tool)` offers. `execute` takes decoded arguments, by name. */
export type FaeTool = {
  readonly schema: () => ToolSchema;
  readonly execute: (args: {
    readonly [name: string]: unknown;
  }) => Promise<unknown>;
  readonly help: () => string;
};

/**
 * What a call may have done when its outcome is unknown: nothing; something
 * that may be done again; something that must not happen twice.
 */
export type Effect = 'read' | 'idempotent' | 'once';
