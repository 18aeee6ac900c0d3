import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Guest, Mail, PackageMail } from '../../src/endo/guest.ts';

/** Someone at the other end of the mail: the HOST, or another guest. */
export type Person = {
  readonly port: Guest;
  /** Handle id. */
  readonly id: string;
  readonly send: (to: string, text: string) => Promise<PackageMail>;
  readonly reply: (to: Mail, text: string) => Promise<PackageMail>;
  /** The next message from anybody else that this person has not taken yet. */
  readonly receive: () => Promise<Mail>;
  /** The same, as the text of a package. */
  readonly receiveText: () => Promise<string>;
};

const DEPTH = /^\[depth:\d+\] /u;

/** Without the depth that an agent puts before its replies. */
export const textOf = (mail: Mail): string => {
  if (mail.type !== 'package') throw Error(`A ${mail.type} has no text`);
  return mail.strings
    .map((text, index) => {
      const name = mail.names[index];
      return name === undefined ? text : `${text}@${name}`;
    })
    .join('')
    .replace(DEPTH, '');
};

const parcel = (text: string) =>
  harden({ strings: [text], edgeNames: [], petNames: [] });

/** @param powers - far reference to a host or a guest of generation A */
export const makePerson = async (powers: unknown): Promise<Person> => {
  const port = makeGenerationAGuest(powers);
  const id = await port.identify(['SELF']);
  if (id === undefined) throw Error('No SELF');
  // Copies of what this person sent before belong to nobody who waits here.
  const before = new Set(
    (await port.listMessages()).map(({ messageId }) => messageId),
  );
  const inbound: Mail[] = [];
  const own: PackageMail[] = [];
  const takers: ((mail: Mail) => void)[] = [];
  const ownTakers: ((mail: PackageMail) => void)[] = [];

  const follow = async (): Promise<void> => {
    const messages = port.followMessages();
    for (;;) {
      const { done, value } = await messages.next();
      if (done === true) return;
      if (value.from === id && value.to !== id) {
        if (value.type !== 'package' || before.has(value.messageId)) continue;
        const taker = ownTakers.shift();
        if (taker === undefined) own.push(value);
        else taker(value);
      } else {
        const taker = takers.shift();
        if (taker === undefined) inbound.push(value);
        else taker(value);
      }
    }
  };
  follow().catch(() => {
    // The daemon is gone: who waits times out, and says for what.
  });

  const ownCopy = (): Promise<PackageMail> => {
    const present = own.shift();
    return present === undefined
      ? new Promise((resolve) => ownTakers.push(resolve))
      : Promise.resolve(present);
  };
  const receive = (): Promise<Mail> => {
    const present = inbound.shift();
    return present === undefined
      ? new Promise((resolve) => takers.push(resolve))
      : Promise.resolve(present);
  };

  return {
    port,
    id,
    send: async (to, text) => {
      const [copy] = await Promise.all([
        ownCopy(),
        port.send([to], parcel(text)),
      ]);
      return copy;
    },
    reply: async (mail, text) => {
      const [copy] = await Promise.all([
        ownCopy(),
        port.reply(mail.number, parcel(text)),
      ]);
      return copy;
    },
    receive,
    receiveText: async () => textOf(await receive()),
  };
};
