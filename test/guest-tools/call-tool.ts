import { hostToolDefinitions } from '../../src/guest-tools/tool-sets.ts';
import type { TurnPowers } from '../../src/guest-tools/turn-powers.ts';
import { dispatchCall, type ToolOutcome } from '../../src/tool/dispatch.ts';
import { makeToolSet } from '../../src/tool/registry.ts';

/** One call as a model makes it, through the whole of dispatch. */
export const callTool = (
  powers: TurnPowers,
  name: string,
  args: { readonly [name: string]: unknown },
): Promise<ToolOutcome> =>
  dispatchCall(
    { id: 'c1', name, argumentsText: JSON.stringify(args) },
    {
      registry: makeToolSet(hostToolDefinitions, powers),
      timeoutMs: 1000,
      startTimer: () => () => undefined,
      signal: new AbortController().signal,
    },
  );
