import { q } from '@endo/errors';
import { makePromiseKit } from '@endo/promise-kit';
import type { FakeFormulas } from './fake-formulas.ts';
import { assertParcel, digest } from './fake-names.ts';
import type { NameOrPath } from './fake-names.ts';
import {
  type FakeProposal,
  grantFakeProposal,
  makeFakeProposal,
  rejectFakeProposal,
  viewFakeProposal,
} from './fake-proposals.ts';
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
  state: 'open' | 'granted' | 'rejected';
};

export type FakePost = {
  readonly formulas: FakeFormulas;
  /** As Hob's daemon: no weak points of Endo's. */
  readonly strict: boolean;
  readonly boxes: Map<string, FakeMailbox>;
  /** Open and settled requests, by `messageId`. */
  readonly answers: Map<string, Answer>;
  /** Open and decided proposals, by `messageId`. */
  readonly proposals: Map<string, FakeProposal>;
  /** Seconds since the start, so that dates are the same in every run. */
  readonly tick: () => number;
};

export const makeFakePost = (
  formulas: FakeFormulas,
  strict: boolean,
): FakePost => {
  let ticks = 0;
  return {
    formulas,
    strict,
    boxes: new Map(),
    answers: new Map(),
    proposals: new Map(),
    tick: () => {
      ticks += 1;
      return ticks;
    },
  };
};

export type FakeMailbox = {
  readonly deliver: (letter: Letter) => void;
  /** Puts code to anybody, which no daemon lets a guest do. */
  readonly forge: (
    to: string,
    source: string,
    replyTo: string,
  ) => Promise<void>;
};

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
  /** When the own copy of what was sent gets into the mailbox. */
  whenCopied: (arrive: () => void) => void,
) => {
  const messages = new Map<bigint, Message>();
  const topic = makeFakeTopic();
  let nextNumber = 0n;

  const deliver = (letter: Letter): void => {
    const message = harden({ ...letter, number: nextNumber });
    nextNumber += 1n;
    messages.set(message.number, message);
    topic.publish(viewOf(message));
  };
  /** As it is now: what was asked may have been decided. */
  const viewOf = (message: Message): object => {
    const { messageId, from } = message;
    const proposal = post.proposals.get(messageId);
    const state = post.answers.get(messageId)?.state;
    return harden({
      ...message,
      ...(proposal === undefined
        ? {}
        : viewFakeProposal(proposal, from === self, post.strict)),
      ...(post.strict && state !== undefined ? { state } : {}),
    });
  };
  post.boxes.set(self, {
    deliver,
    forge: async (to, source, replyTo) => {
      const { write } = names;
      await propose(
        to,
        makeFakeProposal(
          post.formulas,
          identified,
          write,
          source,
          [],
          [],
          undefined,
        ),
        replyTo,
      );
    },
  });

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
    register: (messageId: string) => void = () => undefined,
  ): string => {
    const recipient = post.boxes.get(to);
    if (recipient === undefined) throw Error('Recipient is not a handle');
    const tick = post.tick();
    const messageId = digest(`message ${tick}`);
    register(messageId);
    const letter = harden({
      ...content,
      messageId,
      from: self,
      to,
      date: new Date(Date.UTC(2026, 1, 1) + tick * 1000).toISOString(),
      dismissed: makePromiseKit().promise,
    });
    recipient.deliver(letter);
    if (to !== self) whenCopied(() => deliver(letter));
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
    if (answer.state !== 'open') {
      throw Error(`Request ${String(number)} has already been answered`);
    }
    return answer;
  };
  const settleRequest = (
    number: bigint,
    settlement: { readonly id: string } | { readonly reason: string },
  ): void => {
    const answer = openRequest(number);
    if ('id' in settlement) {
      answer.state = 'granted';
      answer.resolve(settlement.id);
    } else {
      answer.state = 'rejected';
      answer.reject(Error(settlement.reason));
    }
  };
  const propose = async (
    to: string,
    proposed: Promise<FakeProposal>,
    replyTo?: string,
  ): Promise<{
    readonly proposal: FakeProposal;
    readonly messageId: string;
  }> => {
    const proposal = await proposed;
    const messageId = post1(
      to,
      replyTo === undefined ? {} : { replyTo },
      (id) => post.proposals.set(id, proposal),
    );
    return { proposal, messageId };
  };
  /** Of a message to this agent, which alone can decide it. */
  const proposalToDecide = (
    number: bigint,
  ): { readonly proposal: FakeProposal; readonly message: Message } => {
    const message = messageNumbered(number);
    const proposal = post.proposals.get(message.messageId);
    if (proposal === undefined || message.to !== self) {
      throw Error(`Message ${String(number)} is no proposal to decide`);
    }
    return { proposal, message };
  };
  const refuseUnanswered = ({ messageId, number, to }: Message): void => {
    if (!post.strict || to !== self) return;
    const reason = 'dismissed without an answer';
    const proposal = post.proposals.get(messageId);
    if (proposal?.state === 'open') rejectFakeProposal(proposal, reason);
    if (post.answers.get(messageId)?.state === 'open') {
      settleRequest(number, { reason });
    }
  };

  return harden({
    listMessages: () =>
      Promise.resolve(harden([...messages.values()].map(viewOf))),
    followMessages: () =>
      Promise.resolve(topic.follow([...messages.values()].map(viewOf))),
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
      const proposal = post.proposals.get(message.messageId);
      if (message.type !== 'package' && proposal === undefined) {
        throw Error(`Message ${String(number)} is not a package`);
      }
      const edges = (proposal?.edgeNames ?? message.names) as readonly string[];
      const index = edges.indexOf(edgeName);
      const id = ((proposal?.ids ?? message.ids) as readonly string[])[index];
      if (id === undefined) {
        throw Error(
          `No reference named ${String(q(edgeName))} in message ${String(number)}`,
        );
      }
      await names.write(path, id);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- a failure is a rejection, as over the wire
    dismiss: async (number: bigint) => {
      refuseUnanswered(messageNumbered(number));
      messages.delete(number);
    },
    dismissAll: () => {
      for (const message of messages.values()) refuseUnanswered(message);
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
      const answer = promise.then(async (id) => {
        if (responseName !== undefined) await names.write(responseName, id);
        return post.formulas.valueOf(id);
      });
      const settled = answer.then(
        () => 'fulfilled',
        () => 'rejected',
      );
      post1(
        recipient,
        {
          type: 'request',
          description,
          promiseId: post.formulas.provide(answer),
          resolverId: post.formulas.makeId(),
          settled,
        },
        (messageId) =>
          post.answers.set(messageId, { resolve, reject, state: 'open' }),
      );
      return answer;
    },
    /** Of a guest: proposes to its HOST. */
    evaluate: async (
      _workerName: NameOrPath | undefined,
      source: string,
      codeNames: readonly string[],
      petNames: readonly NameOrPath[],
      resultName?: NameOrPath,
    ): Promise<unknown> => {
      const { proposal } = await propose(
        await identified('HOST'),
        makeFakeProposal(
          post.formulas,
          identified,
          names.write,
          source,
          codeNames,
          petNames,
          resultName,
        ),
      );
      return proposal.result;
    },
    grantEvaluate: async (number: bigint): Promise<unknown> =>
      grantFakeProposal(proposalToDecide(number).proposal, post.formulas),
    counterEvaluate: async (
      number: bigint,
      source: string,
      codeNames: readonly string[],
      petNames: readonly NameOrPath[],
      _workerName?: NameOrPath,
      resultName?: NameOrPath,
    ): Promise<void> => {
      const { proposal, message } = proposalToDecide(number);
      if (proposal.state !== 'open') {
        throw Error(`This proposal is already ${proposal.state}`);
      }
      const countered = await propose(
        message.from,
        makeFakeProposal(
          post.formulas,
          identified,
          names.write,
          source,
          codeNames,
          petNames,
          resultName,
        ),
        post.strict ? message.messageId : undefined,
      );
      if (!post.strict) return;
      proposal.state = 'countered';
      proposal.counteredBy = countered.messageId;
      proposal.fail(Error(`countered by message ${countered.messageId}`));
    },
    resolve: async (number: bigint, nameOrPath: NameOrPath) => {
      const id = await identified(nameOrPath);
      settleRequest(number, { id });
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- a failure is a rejection, as over the wire
    reject: async (number: bigint, reason = 'Declined') => {
      if (!post.proposals.has(messageNumbered(number).messageId)) {
        settleRequest(number, { reason });
        return;
      }
      // Endo's daemon takes this and does nothing.
      if (!post.strict) return;
      rejectFakeProposal(proposalToDecide(number).proposal, reason);
    },
  });
};
