import { E } from '@endo/far';
import { attempt, shownPath, unexpected } from './attempt.ts';
import { makeFollowing } from './following.ts';
import { nameOrPath } from './generation-a-powers.ts';
import type { GuestPowers, NameOrPath } from './generation-a-powers.ts';
import { makeOutcomes } from './generation-a-outcomes.ts';
import type { Mail, Mailbox, Parcel } from './guest.ts';

const parcelArguments = (
  parcel: Parcel,
): [readonly string[], readonly string[], readonly NameOrPath[]] =>
  harden([
    [...parcel.strings],
    [...parcel.edgeNames],
    parcel.petNames.map(nameOrPath),
  ]);

/** The mailbox half of the port over generation A. */
export const makeMailboxPort = (powers: Promise<GuestPowers>): Mailbox => {
  const listMessages = async (): Promise<readonly Mail[]> => {
    const what = 'list messages';
    const answer = await attempt(what, E(powers).listMessages());
    if (!Array.isArray(answer)) throw unexpected(what, 'a list');
    return harden(answer.map(outcomes.read));
  };
  const outcomes = makeOutcomes(powers, listMessages);
  return harden({
    listMessages,
    followMessages: () =>
      makeFollowing('messages', E(powers).followMessages(), outcomes.read),
    send: async (to, parcel) => {
      await attempt(
        `send to ${shownPath(to)}`,
        E(powers).send(nameOrPath(to), ...parcelArguments(parcel)),
      );
    },
    reply: async (number, parcel) => {
      await attempt(
        `reply to message ${String(number)}`,
        E(powers).reply(number, ...parcelArguments(parcel)),
      );
    },
    adopt: async (number, edgeName, path) => {
      await attempt(
        `adopt ${JSON.stringify(edgeName)} of message ${String(number)} as ${shownPath(path)}`,
        E(powers).adopt(number, edgeName, nameOrPath(path)),
      );
    },
    dismiss: async (number) => {
      await attempt(
        `dismiss message ${String(number)}`,
        E(powers).dismiss(number),
      );
    },
    request: (to, description, responseName) =>
      attempt(
        `get what was requested of ${shownPath(to)}`,
        responseName === undefined
          ? E(powers).request(nameOrPath(to), description)
          : E(powers).request(
              nameOrPath(to),
              description,
              nameOrPath(responseName),
            ),
      ),
    resolve: async (number, path) => {
      await attempt(
        `answer request ${String(number)} with ${shownPath(path)}`,
        E(powers).resolve(number, nameOrPath(path)),
      );
    },
    reject: async (number, reason) => {
      await attempt(
        `reject request ${String(number)}`,
        reason === undefined
          ? E(powers).reject(number)
          : E(powers).reject(number, reason),
      );
    },
    evaluate: (workerName, source, codeNames, petNames, resultName) => {
      const worker =
        workerName === undefined ? undefined : nameOrPath(workerName);
      const names = harden([...codeNames]);
      const values = harden(petNames.map(nameOrPath));
      return attempt(
        'get the result of a proposal',
        resultName === undefined
          ? E(powers).evaluate(worker, source, names, values)
          : E(powers).evaluate(
              worker,
              source,
              names,
              values,
              nameOrPath(resultName),
            ),
      );
    },
    outcomeOf: outcomes.outcomeOf,
  });
};
harden(makeMailboxPort);
