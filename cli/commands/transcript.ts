import { E } from '@endo/far';
import { CliError, EXIT } from '../cli-error.ts';
import { listMail } from '../mail.ts';
import { bodyText } from '../mail-text.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import type { RemoteAgent } from '../remote.ts';
import { type Session, withPatientSession } from '../session.ts';
import {
  type Archive,
  isTurn,
  openArchive,
  type Stored,
  type Turn,
} from '../transcript/archive.ts';
import { chainText } from '../transcript/chain-text.ts';
import { findConversations, readChain } from '../transcript/chains.ts';
import {
  conversationFacts,
  conversationText,
} from '../transcript/conversations-text.ts';
import { findTurn } from '../transcript/find-message.ts';
import { makeReader, type Reader } from '../transcript/reader.ts';
import { treeText } from '../transcript/tree-text.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** The guest of the agent, as whoever reads holds it. */
const guestOf = async (
  { host, agent }: Session,
  name: string,
): Promise<RemoteAgent> => {
  const profile = `profile-for-${name}`;
  for (const holder of [agent, host]) {
    if (await E(holder).has(profile)) {
      return (await E(holder).lookup(profile)) as RemoteAgent;
    }
  }
  throw new CliError(
    `there is no agent "${visibleLine(name)}"; "agents" lists them`,
  );
};

const archiveOf = async (guest: RemoteAgent): Promise<Archive> => {
  const [self, mail] = await Promise.all([
    E(guest).identify('SELF'),
    listMail(guest),
  ]);
  const inbound = mail
    .filter(({ from }) => from !== self)
    .map(({ messageId, number, from, replyTo, ...rest }) => ({
      ...{ messageId, number, from },
      ...(replyTo === undefined ? {} : { replyTo }),
      text: bodyText({ messageId, number, from, ...rest }),
    }));
  return openArchive(guest, inbound);
};

type View = {
  readonly powers: CliPowers;
  readonly call: Invocation;
  readonly archive: Archive;
  readonly readerOf: (turns: readonly Turn[]) => Promise<Reader>;
};

/** A turn, whole, with the reader's numbers. */
const turnData = ({ open }: Archive, reader: Reader, turn: Turn) => {
  const { messageId, number: agentNumber, ...rest } = turn;
  const number = reader.numberOf(messageId);
  return {
    messageId,
    ...(number === undefined ? {} : { number }),
    ...(agentNumber === undefined ? {} : { agentNumber }),
    ...rest,
    with: reader.party(turn),
    answers: reader.answersTo(messageId),
    open: open.filter(({ askedBy }) => askedBy === messageId),
  };
};

const turnsIn = (stored: ReadonlyMap<string, Stored>): readonly Turn[] =>
  [...stored.values()].filter(isTurn);

const showChain = async (
  { powers, call, archive, readerOf }: View,
  turnId: string,
): Promise<void> => {
  const { stdout, env } = powers;
  const [name = ''] = call.args;
  const chain = await readChain(archive, turnId);
  const reader = await readerOf(chain.turns);
  const { missing, turns } = chain;
  const { open } = archive;
  stdout.write(
    call.json
      ? jsonDocument({
          ...(missing === undefined ? {} : { missing }),
          turns: turns.map((turn) => turnData(archive, reader, turn)),
        })
      : chainText({ name, output: stdout, env, reader, open }, chain),
  );
};

/** Every conversation, or the one that the turn is in. */
const showAll = async (
  { powers, call, archive, readerOf }: View,
  isTree: boolean,
  turnId?: string,
): Promise<void> => {
  const { stdout, env } = powers;
  const { open } = archive;
  const stored = await archive.all();
  const reader = await readerOf(turnsIn(stored));
  const conversations = findConversations(stored).filter(
    ({ turns }) =>
      turnId === undefined || turns.some((each) => each.messageId === turnId),
  );
  const facts = conversations.map((each) =>
    conversationFacts(each, reader, open),
  );
  if (call.json) {
    const data = facts.map((each, at) => {
      const turns = conversations[at]?.turns ?? [];
      return isTree
        ? {
            ...each,
            tree: turns.map((turn) => turnData(archive, reader, turn)),
          }
        : each;
    });
    stdout.write(jsonDocument(data));
    return;
  }
  const shown = turnId === undefined ? {} : { shown: turnId };
  const drawing = { output: stdout, env, reader, open, ...shown };
  const texts = isTree
    ? conversations.map((each) => treeText(drawing, each))
    : facts.map((each) => conversationText(stdout, env, reader, each));
  const text = texts.join(isTree ? '\n' : '');
  stdout.write(text === '' ? 'no conversations\n' : text);
};

/** What an agent remembers of its conversations, as its records tell it. */
export const transcript: Command = harden({
  spec: {
    name: 'transcript',
    summary: "show an agent's conversations, and what it did in them",
    args: [
      { syntax: '<agent>', help: 'its name, such as hob' },
      {
        syntax: '[n]',
        help: 'a message of yours: its conversation, up to it',
      },
    ],
    options: [{ flags: '--tree', help: 'draw all branches, a turn a line' }],
    examples: ['transcript hob', 'transcript hob 12', 'transcript hob --tree'],
  },
  run: (powers, call) =>
    withPatientSession(powers, call, 'transcript', async (session) => {
      const [name = '', n] = call.args;
      const guest = await guestOf(session, name);
      const [archive, mail] = await Promise.all([
        archiveOf(guest),
        listMail(session.agent),
      ]);
      const readerOf = (turns: readonly Turn[]): Promise<Reader> =>
        makeReader(session.agent, mail, turns);
      const view = { powers, call, archive, readerOf };
      const isTree = call.options['tree'] === true;
      const turnId =
        n === undefined ? undefined : await findTurn(archive, mail, n);
      if (turnId === undefined || isTree) await showAll(view, isTree, turnId);
      else await showChain(view, turnId);
      return EXIT.ok;
    }),
});
