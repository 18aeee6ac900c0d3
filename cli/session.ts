import { E } from '@endo/far';
import { CliError, reasonOf } from './cli-error.ts';
import { parseNameOrPath } from './arguments.ts';
import type { CliPowers, Connection, Invocation } from './powers.ts';
import type { RemoteAgent, RemoteEndo } from './remote.ts';
import { visibleLine } from './visible.ts';

/** How long an answer that a person waits for may take. */
const PATIENCE_MS = 30_000;

export type Session = {
  readonly endo: RemoteEndo;
  readonly host: RemoteAgent;
  /** Whom the command acts as: the host, or the agent of `--as`. */
  readonly agent: RemoteAgent;
  /** Rejects, with the reason in words, when the daemon goes away. */
  readonly gone: Promise<never>;
};

/** The one error for a socket at which nothing answers. */
export const noDaemon = (powers: CliPowers, cause?: unknown): CliError =>
  new CliError(
    `no daemon at ${powers.paths.socketPath}; start it with "npm run -s hob -- start"`,
    { cause },
  );
harden(noDaemon);

/** Whether the failure means that nobody listens at the socket. */
export const isNobodyThere = (thrown: unknown): boolean => {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    const text = `${typeof code === 'string' ? code : ''} ${error.message}`;
    if (/ENOENT|ECONNREFUSED|no daemon/u.test(text)) return true;
  }
  return false;
};
harden(isNobodyThere);

const connect = async (powers: CliPowers): Promise<Connection> => {
  try {
    return await powers.connect();
  } catch (error) {
    if (isNobodyThere(error)) throw noDaemon(powers, error);
    throw new CliError(
      `cannot speak with the daemon at ${powers.paths.socketPath}: ${reasonOf(error)}`,
      { cause: error },
    );
  }
};

/** Rejects when the connection ends, however it ends. */
const rejectWhenClosed = async (
  powers: CliPowers,
  closed: Promise<unknown>,
): Promise<never> => {
  await closed.catch(() => undefined);
  throw new CliError(
    `the daemon at ${powers.paths.socketPath} went away; "npm run -s hob -- log" shows its last words`,
  );
};

/** The agent named on the command line, or why there is none. */
const actingAgent = async (
  host: RemoteAgent,
  as: string | undefined,
): Promise<RemoteAgent> => {
  if (as === undefined) return host;
  const path = parseNameOrPath(as);
  const segments = typeof path === 'string' ? [path] : path;
  const shown = visibleLine(as);
  if (!(await E(host).has(...segments))) {
    throw new CliError(
      `--as ${shown}: the host has nothing of that name; "list" shows its names`,
    );
  }
  const agent = (await E(host).lookup(path)) as RemoteAgent;
  const methods = await methodNames(agent);
  if (methods.includes('followMessages')) return agent;
  const profile = `profile-for-${as}`;
  const hint =
    segments.length === 1 && (await E(host).has(profile))
      ? `; did you mean --as ${profile}?`
      : '; name a guest or a host';
  throw new CliError(`--as ${shown}: that is not an agent${hint}`);
};

/** The methods of a far reference; none for what is not one. */
export const methodNames = async (
  reference: unknown,
): Promise<readonly string[]> => {
  try {
    return await E(
      reference as { __getMethodNames__: () => Promise<readonly string[]> },
    ).__getMethodNames__();
  } catch (error) {
    // Data has no such method; anything else would fail again in a moment.
    if (error instanceof Error) return [];
    throw error;
  }
};
harden(methodNames);

/** Rejects after the patience of a person, naming what was waited for. */
export const withPatience = async <T>(
  powers: Pick<CliPowers, 'after'>,
  what: string,
  answer: Promise<T>,
  ms: number = PATIENCE_MS,
): Promise<T> => {
  let cancel: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    cancel = powers.after(ms, () => {
      reject(
        new CliError(`no answer to ${what} within ${Math.ceil(ms / 1000)} s`),
      );
    });
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel();
  }
};
harden(withPatience);

/**
 * Connects, acts as the agent that `--as` names, and closes when `body` is
 * done. Ends with an error when the daemon goes away in between.
 */
export const withSession = async <T>(
  powers: CliPowers,
  call: Pick<Invocation, 'as'>,
  body: (session: Session) => Promise<T>,
): Promise<T> => {
  const connection = await connect(powers);
  const gone = rejectWhenClosed(powers, connection.closed);
  gone.catch(() => undefined);
  const open = async (): Promise<T> => {
    const { endo } = connection;
    const host = await E(endo).host();
    const agent = await actingAgent(host, call.as);
    return body({ endo, host, agent, gone });
  };
  try {
    const result = open();
    // When the connection ends first, its calls reject too: heard already.
    result.catch(() => undefined);
    return await Promise.race([result, gone]);
  } finally {
    await connection.close();
  }
};
harden(withSession);

/** The same for a verb that is one question: it has a deadline. */
export const withPatientSession = <T>(
  powers: CliPowers,
  call: Pick<Invocation, 'as'>,
  what: string,
  body: (session: Session) => Promise<T>,
): Promise<T> =>
  withSession(powers, call, (session) =>
    withPatience(powers, what, body(session)),
  );
harden(withPatientSession);
