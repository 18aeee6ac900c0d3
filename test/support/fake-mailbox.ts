import { q } from '@endo/errors';
import { makePromiseKit } from '@endo/promise-kit';
import type { FakeFormulas } from './fake-formulas.ts';
import { assertParcel, digest } from './fake-names.ts';
import type { NameOrPath } from './fake-names.ts';
import { makeFakeTopic } from './fake-topic.ts';

/** What the message is, whoever reads it. */
type Letter = {
  readonly messageId: string;
  readonly replyTo?: string;
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly dismissed: Promise<unknown>;
} & { readonly [key: string]: unknown };

type Message = Letter & { readonly number: bigint };

/** How the owner of an open request is answered. */
type Answer = {
  readonly resolve: (id: string) => void;
  readonly reject: (reason: Error) => void;
  settled: boolean;
};

export type FakePost = {
  readonly formulas: FakeFormulas;
  readonly boxes: Map<string, FakeMailbox>;
  /** Open and settled requests, by `messageId`. */
  readonly answers: Map<string, Answer>;
  /** Seconds since the start, so that dates are the same in every run. */
  readonly tick: () => number;
};

export const makeFakePost = (formulas: FakeFormulas): FakePost => {
  let ticks = 0;
  return {
    formulas,
    boxes: new Map(),
    answers: new Map(),
    tick: () => {
      ticks += 1;
      return ticks;
    },
  };
};

export type FakeMailbox = { readonly deliver: (letter: Letter) => void };

/** What the mailbox needs of its owner's directory. */
type Names = {
  readonly identify: (...path: string[]) => Promise<string | undefined>;
  readonly write: (path: NameOrPath, id: string) => Promise<void>;
};

const pathOf = (nameOrPath: NameOrPath): readonly string[] =>
  typeof nameOrPath === 'string' ? [nameOrPath] : nameOrPath;

/** The mail methods of an agent whose handle has the id `self`. */
export const makeFakeMailMethods = (
  post: FakePost,
  self: string,
  names: Names,
) => {
  const messages = new Map<bigint, Message>();
  const topic = makeFakeTopic();
  let nextNumber = 0n;

  const deliver = (letter: Letter): void => {
    const message = harden({ ...letter, number: nextNumber });
    nextNumber += 1n;
    messages.set(message.number, message);
    topic.publish(message);
  };
  post.boxes.set(self, { deliver });

  const identified = async (nameOrPath: NameOrPath): Promise<string> => {
    const path = pathOf(nameOrPath);
    const id = await names.identify(...path);
    if (id === undefined) {
      throw Error(`Unknown pet name: ${String(q(path.join('/')))}`);
    }
    return id;
  };
  const messageNumbered = (number: bigint): Message => {
    const message = messages.get(number);
    if (message === undefined) {
      throw Error(`No such message with number ${String(number)}`);
    }
    return message;
  };
  /** The recipient's copy first, then the sender's. */
  const post1 = (
    to: string,
    content: { readonly [key: string]: unknown },
  ): string => {
    const recipient = post.boxes.get(to);
    if (recipient === undefined) throw Error('Recipient is not a handle');
    const tick = post.tick();
    const messageId = digest(`message ${tick}`);
    const letter = harden({
      ...content,
      messageId,
      from: self,
      to,
      date: new Date(Date.UTC(2026, 1, 1) + tick * 1000).toISOString(),
      dismissed: makePromiseKit().promise,
    });
    recipient.deliver(letter);
    if (to !== self) deliver(letter);
    return messageId;
  };
  const postPackage = async (
    to: string,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly NameOrPath[],
    thread: { readonly replyTo?: string },
  ): Promise<void> => {
    assertParcel(strings, edgeNames, petNames);
    const ids = await Promise.all(petNames.map(identified));
    post1(to, { ...thread, type: 'package', strings, names: edgeNames, ids });
  };
  const openRequest = (number: bigint): Answer => {
    const message = messageNumbered(number);
    const answer = post.answers.get(message.messageId);
    if (answer === undefined) {
      throw Error(`Message ${String(number)} is not a request`);
    }
    if (message.to !== self) {
      throw Error(`Request ${String(number)} is for its recipient to answer`);
    }
    if (answer.settled) {
      throw Error(`Request ${String(number)} has already been answered`);
    }
    answer.settled = true;
    return answer;
  };

  return harden({
    listMessages: () => Promise.resolve(harden([...messages.values()])),
    followMessages: () => Promise.resolve(topic.follow([...messages.values()])),
    send: async (
      to: NameOrPath,
      strings: readonly string[],
      edgeNames: readonly string[],
      petNames: readonly NameOrPath[],
    ) => postPackage(await identified(to), strings, edgeNames, petNames, {}),
    reply: async (
      number: bigint,
      strings: readonly string[],
      edgeNames: readonly string[],
      petNames: readonly NameOrPath[],
    ) => {
      const { from, to, messageId: replyTo } = messageNumbered(number);
      const other = from === self ? to : from;
      await postPackage(other, strings, edgeNames, petNames, { replyTo });
    },
    adopt: async (number: bigint, edgeName: string, path: NameOrPath) => {
      const message = messageNumbered(number);
      if (message.type !== 'package') {
        throw Error(`Message ${String(number)} is not a package`);
      }
      const index = (message.names as readonly string[]).indexOf(edgeName);
      const id = (message.ids as readonly string[])[index];
      if (id === undefined) {
        throw Error(
          `No reference named ${String(q(edgeName))} in message ${String(number)}`,
        );
      }
      await names.write(path, id);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- a failure is a rejection, as over the wire
    dismiss: async (number: bigint) => {
      messageNumbered(number);
      messages.delete(number);
    },
    dismissAll: () => {
      messages.clear();
      return Promise.resolve();
    },
    request: async (
      to: NameOrPath,
      description: string,
      responseName?: NameOrPath,
    ): Promise<unknown> => {
      if (responseName !== undefined) {
        const known = await names.identify(...pathOf(responseName));
        if (known !== undefined) return post.formulas.valueOf(known);
      }
      const recipient = await identified(to);
      const { promise, resolve, reject } = makePromiseKit<string>();
      const messageId = post1(recipient, {
        type: 'request',
        description,
        promiseId: post.formulas.makeId(),
        resolverId: post.formulas.makeId(),
        settled: promise.then(
          () => 'fulfilled',
          () => 'rejected',
        ),
      });
      post.answers.set(messageId, { resolve, reject, settled: false });
      const id = await promise;
      if (responseName !== undefined) await names.write(responseName, id);
      return post.formulas.valueOf(id);
    },
    resolve: async (number: bigint, nameOrPath: NameOrPath) => {
      const id = await identified(nameOrPath);
      openRequest(number).resolve(id);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- a failure is a rejection, as over the wire
    reject: async (number: bigint, reason = 'Declined') => {
      openRequest(number).reject(Error(reason));
    },
  });
};
