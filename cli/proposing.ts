import { E } from '@endo/far';
import { CliError } from './cli-error.ts';
import { followMail, listMail } from './mail.ts';
import type { NameOrPath, RemoteAgent, WireMessage } from './remote.ts';

/** Code and the values that it is given, as it was typed. */
export type Code = {
  readonly workerName: NameOrPath | undefined;
  readonly source: string;
  readonly codeNames: readonly string[];
  readonly petNames: readonly NameOrPath[];
  readonly resultName: NameOrPath | undefined;
};

/** Runs the code as a host; as a guest, proposes it. */
export const evaluateAs = (agent: RemoteAgent, code: Code): Promise<unknown> =>
  E(agent).evaluate(
    code.workerName,
    code.source,
    code.codeNames,
    code.petNames,
    ...(code.resultName === undefined ? [] : [code.resultName]),
  );
harden(evaluateAs);

/** A proposal that lies in both mailboxes, or what came of it at once. */
type Proposed =
  | {
      readonly type: 'proposed';
      readonly message: WireMessage;
      readonly result: Promise<unknown>;
    }
  | { readonly type: 'done'; readonly result: Promise<unknown> };

/**
 * Proposes code as a guest. The daemon answers only when it is decided, so the
 * guest's own copy of the proposal is what shows that it was made.
 */
export const proposeAs = async (
  agent: RemoteAgent,
  code: Code,
): Promise<Proposed> => {
  const before = await listMail(agent);
  const watermark = before.reduce(
    (highest, { number }) => (number > highest ? number : highest),
    -1n,
  );
  const result = evaluateAs(agent, code);
  result.catch(() => undefined);
  const follower = await followMail(agent);
  const ownCopy = async (): Promise<WireMessage> => {
    for (;;) {
      const message = await follower.next();
      if (message === undefined) {
        throw new CliError('the daemon ended the stream of mail');
      }
      const { number, type } = message;
      const isOurs =
        type === 'eval-proposal-proposer' && message['source'] === code.source;
      if (number > watermark && isOurs) return message;
    }
  };
  const seen = ownCopy();
  seen.catch(() => undefined);
  try {
    return await Promise.race([
      seen.then((message) => ({ type: 'proposed' as const, message, result })),
      result.then(() => ({ type: 'done' as const, result })),
    ]);
  } finally {
    // The iterator may wait for mail: its end is not waited for.
    follower.close().catch(() => undefined);
  }
};
harden(proposeAs);
