import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setImmediate } from 'node:timers/promises';
import { makeCapTP, type CapTPMessage } from '@endo/captp';
import type { SessionLimits } from '../../../daemon/connection/session-limits.ts';
import {
  makeSession,
  type Session,
} from '../../../daemon/connection/session.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects until the condition holds; tells whether it came to hold. */
export const collectUntil = async (
  condition: () => boolean,
): Promise<boolean> => {
  for (let round = 0; round < 50; round += 1) {
    // What the condition looked at lives until the end of its task.
    await setImmediate();
    collect();
    // Finalizers run in tasks of their own, and their drops take turns.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    if (condition()) return true;
  }
  return false;
};

export type End = {
  readonly receive: (text: string) => void;
  readonly sent: CapTPMessage[];
};

const deliver = (to: () => End, sent: CapTPMessage[]) => (text: string) => {
  sent.push(JSON.parse(text) as CapTPMessage);
  queueMicrotask(() => to().receive(text));
};

export type SessionEndOptions = {
  readonly name: string;
  readonly bootstrap?: unknown;
  readonly maxFrameBytes?: number;
  readonly limits?: Partial<SessionLimits>;
  readonly peer: () => End;
};

/** One of our sessions, wired to whatever `peer` is. */
export const makeSessionEnd = ({
  name,
  bootstrap,
  maxFrameBytes = 1_000_000,
  limits,
  peer,
}: SessionEndOptions): Session & End & { readonly violations: string[] } => {
  const sent: CapTPMessage[] = [];
  const violations: string[] = [];
  const session = makeSession({
    name,
    bootstrap,
    maxFrameBytes,
    limits,
    send: deliver(peer, sent),
    onDisconnect: (why) => violations.push(`disconnect ${why}`),
  });
  const receive = (text: string): void => {
    try {
      session.receive(text);
    } catch (error) {
      violations.push((error as Error).message);
    }
  };
  return { ...session, receive, sent, violations };
};

/** CapTP as a foreign client has it, with nothing of ours. */
export const makePlainEnd = ({
  gcImports = false,
  bootstrap,
  peer,
}: {
  readonly gcImports?: boolean;
  readonly bootstrap?: unknown;
  readonly peer: () => End;
}) => {
  const sent: CapTPMessage[] = [];
  const send = deliver(peer, sent);
  const capTP = makeCapTP(
    'plain',
    (message) => send(JSON.stringify(message)),
    bootstrap,
    { gcImports, onReject: () => undefined },
  );
  const receive = (text: string): void => {
    capTP.dispatch(JSON.parse(text) as CapTPMessage);
  };
  return { getBootstrap: capTP.getBootstrap, receive, sent };
};
