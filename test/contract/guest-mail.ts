import { E } from '@endo/far';
import { expect, it } from 'vitest';
import type { OpenWorld } from './world.ts';
import { lastOf, PEER, take, text, wordsOf } from './world.ts';

const HOST = harden(['HOST']);

/** What every guest's mailbox does. */
export const itDeliversMail = (
  open: () => OpenWorld,
  { strict }: { readonly strict: boolean },
): void => {
  it('delivers a message to both mailboxes', async () => {
    const { guest, host } = open();
    const { self, host: hostId } = await guest.identity();
    await guest.send(HOST, text('hello'));
    const received = await lastOf(host);
    const own = await lastOf(guest);
    expect(received).toMatchObject({
      type: 'package',
      strings: ['hello'],
      names: [],
      ids: [],
      from: self,
      to: hostId,
    });
    expect(Object.hasOwn(received, 'replyTo')).toBe(false);
    expect({ ...own, number: 0n }).toEqual({ ...received, number: 0n });
  });

  it('dates a message by ISO 8601', async () => {
    const { guest } = open();
    await guest.send(HOST, text('hello'));
    const { date } = await lastOf(guest);
    expect(new Date(date).toISOString()).toBe(date);
  });

  it('numbers the messages of a mailbox one after another', async () => {
    const { guest } = open();
    for (const words of ['a', 'b', 'c']) await guest.send(HOST, text(words));
    const mail = await guest.listMessages();
    const [first] = mail;
    const start = first?.number ?? -1n;
    expect(mail.map(({ number }) => number - start)).toEqual([0n, 1n, 2n]);
    expect(mail.map(wordsOf)).toEqual(['a', 'b', 'c']);
    expect(new Set(mail.map(({ messageId }) => messageId)).size).toBe(3);
  });

  it('does not use the number of a dismissed message again', async () => {
    const { guest } = open();
    await guest.send(HOST, text('a'));
    const { number } = await lastOf(guest);
    await guest.dismiss(number);
    await guest.send(HOST, text('b'));
    expect((await lastOf(guest)).number).toBe(number + 1n);
  });

  it('delivers text unchanged, whatever it begins with', async () => {
    const { guest, host } = open();
    const texts = [
      ...['[1]', '#x', '+1', '-5', '!a', '$b', '%c', '&d', '*e*', '(f)'],
      ...["'g'", '"h"', ',i', '- item\n- item', '# Title', '\u2028\0\t', ''],
      ...['Привет 世界 👩‍👩‍👧', '{"a":1}', '@undefined', 'x'.repeat(90_000)],
      // Endo's own guards stop at 100,000 characters.
      ...(strict ? ['x'.repeat(150_000)] : []),
    ];
    const before = (await host.listMessages()).length;
    for (const words of texts) await guest.send(HOST, text(words));
    const received = (await host.listMessages()).slice(before);
    expect(received.map(wordsOf)).toEqual(texts);
  });

  it('delivers from guest to guest, and nothing of it to the HOST', async () => {
    const { guest, other, host } = open();
    const before = await host.listMessages();
    await guest.send([PEER], text('between us'));
    const { self } = await guest.identity();
    const { self: to } = await other.identity();
    expect(await lastOf(other)).toMatchObject({
      strings: ['between us'],
      from: self,
      to,
    });
    expect(await host.listMessages()).toEqual(before);
  });

  it('threads a reply, to the sender', async () => {
    const { guest, host, world } = open();
    await host.send([world.guestName], text('question'));
    const question = await lastOf(guest);
    await guest.reply(question.number, text('answer'));
    const answer = await lastOf(host);
    expect(answer).toMatchObject({
      strings: ['answer'],
      replyTo: question.messageId,
      to: question.from,
    });
    expect(await lastOf(guest)).toMatchObject({ replyTo: question.messageId });
  });

  it("threads a reply to one's own message, to whom it went", async () => {
    const { guest, host } = open();
    await guest.send(HOST, text('first'));
    const first = await lastOf(guest);
    await guest.reply(first.number, text('and another thing'));
    expect(await lastOf(host)).toMatchObject({
      strings: ['and another thing'],
      replyTo: first.messageId,
    });
  });

  it('lets a stranger be answered whom one has no name for', async () => {
    const { guest, other } = open();
    await guest.send([PEER], text('hello'));
    const { number, from } = await lastOf(other);
    expect(await other.reverseIdentify(from)).toEqual([]);
    await other.reply(number, text('who is it?'));
    expect(await lastOf(guest)).toMatchObject({ strings: ['who is it?'] });
  });

  it('refuses an answer to what is not, or no longer, in the mailbox', async () => {
    const { guest, host, world } = open();
    await expect(guest.reply(999n, text('x'))).rejects.toThrow('999');
    await host.send([world.guestName], text('question'));
    const { number } = await lastOf(guest);
    await guest.dismiss(number);
    const before = await host.listMessages();
    await expect(guest.reply(number, text('x'))).rejects.toThrow(
      String(number),
    );
    expect(await host.listMessages()).toEqual(before);
  });

  it('carries values, which are adopted by identity', async () => {
    const { guest, other } = open();
    await guest.storeValue('one', ['one']);
    await guest.makeDirectory(['folder']);
    await guest.storeValue('two', ['folder', 'two']);
    await guest.send(
      [PEER],
      harden({
        strings: ['see ', ' and ', '.'],
        edgeNames: ['a', 'b-2'],
        petNames: [['one'], ['folder', 'two']],
      }),
    );
    const mail = await lastOf(other);
    const ids = [
      await guest.identify(['one']),
      await guest.identify(['folder', 'two']),
    ];
    expect(mail).toMatchObject({
      strings: ['see ', ' and ', '.'],
      names: ['a', 'b-2'],
      ids,
    });
    await other.adopt(mail.number, 'a', ['mine']);
    await other.makeDirectory(['kept']);
    await other.adopt(mail.number, 'b-2', ['kept', 'two']);
    expect(await other.identify(['mine'])).toBe(ids[0]);
    expect(await other.lookup(['mine'])).toBe('one');
    expect(await other.lookup(['kept', 'two'])).toBe('two');
  });

  it('carries values in a reply', async () => {
    const { guest, other } = open();
    await guest.send([PEER], text('what have you?'));
    await other.storeValue(7n, ['seven']);
    const { number } = await lastOf(other);
    await other.reply(
      number,
      harden({ strings: [''], edgeNames: ['it'], petNames: [['seven']] }),
    );
    await guest.adopt((await lastOf(guest)).number, 'it', ['got']);
    expect(await guest.lookup(['got'])).toBe(7n);
  });

  it('adopts what is no longer named by its sender', async () => {
    const { guest, other } = open();
    await guest.storeValue('gift', ['gift']);
    await guest.send(
      [PEER],
      harden({ strings: [''], edgeNames: ['gift'], petNames: [['gift']] }),
    );
    await guest.remove(['gift']);
    await other.adopt((await lastOf(other)).number, 'gift', ['gift']);
    expect(await other.lookup(['gift'])).toBe('gift');
  });

  it('refuses to adopt what a message does not carry', async () => {
    const { guest } = open();
    await guest.send(HOST, text('nothing in it'));
    const { number } = await lastOf(guest);
    await expect(guest.adopt(number, 'it', ['x'])).rejects.toThrow('it');
    await expect(guest.adopt(999n, 'it', ['x'])).rejects.toThrow('999');
    expect(await guest.has(['x'])).toBe(false);
  });

  it('refuses to adopt under a special name', async () => {
    const { guest } = open();
    await guest.storeValue('v', ['v']);
    await guest.send(
      HOST,
      harden({ strings: [''], edgeNames: ['v'], petNames: [['v']] }),
    );
    const { number } = await lastOf(guest);
    await expect(guest.adopt(number, 'v', HOST)).rejects.toThrow();
  });

  it.each([
    ['one name twice', ['a', 'a'], ['', ''], 2],
    ['more names than values', ['a', 'b'], ['', ''], 1],
    ['fewer names than values', ['a'], ['', ''], 2],
    ['no text before a value', ['a', 'b'], [''], 2],
    ['a name with a space', ['a b'], [''], 1],
    ['an empty name', [''], [''], 1],
    ...[
      ...['FROM', 'TO', 'DATE', 'TYPE', 'MESSAGE', 'REPLY', 'DESCRIPTION'],
      ...['STRINGS', 'PROMISE', 'RESOLVER'],
    ].map((name) => [`the name ${name}`, [name], [''], 1] as const),
  ] as const)(
    'refuses a parcel with %s, and sends nothing',
    async (_what, edgeNames, strings, count) => {
      const { guest, host } = open();
      await guest.storeValue('v', ['v']);
      const before = await host.listMessages();
      const petNames = Array.from({ length: count }, () => ['v']);
      const parcel = harden({ strings, edgeNames, petNames });
      await expect(guest.send(HOST, parcel)).rejects.toThrow();
      expect(await guest.listMessages()).toEqual([]);
      expect(await host.listMessages()).toEqual(before);
    },
  );

  it('sends nothing to nobody, and nothing that is not there', async () => {
    const { guest } = open();
    await guest.storeValue('v', ['v']);
    await expect(guest.send(['nobody'], text('x'))).rejects.toThrow('nobody');
    await expect(guest.send(['v'], text('x'))).rejects.toThrow();
    await expect(
      guest.send(
        HOST,
        harden({ strings: [''], edgeNames: ['a'], petNames: [['missing']] }),
      ),
    ).rejects.toThrow('missing');
    expect(await guest.listMessages()).toEqual([]);
  });

  it("takes a dismissed message out of one's own mailbox only", async () => {
    const { guest, host } = open();
    await guest.send(HOST, text('hello'));
    const { number, messageId } = await lastOf(guest);
    await guest.dismiss(number);
    expect(await guest.listMessages()).toEqual([]);
    expect((await lastOf(host)).messageId).toBe(messageId);
    await expect(guest.dismiss(number)).rejects.toThrow(String(number));
  });

  it('dismisses all messages at once', async () => {
    const { guest, host, world } = open();
    await guest.send(HOST, text('a'));
    await host.send([world.guestName], text('b'));
    const powers = world.guest as { dismissAll: () => Promise<void> };
    await E(powers).dismissAll();
    expect(await guest.listMessages()).toEqual([]);
  });

  it('tells a follower the inbox oldest first, own messages too, then what comes', async () => {
    const { guest, host, world } = open();
    await guest.send(HOST, text('one'));
    await host.send([world.guestName], text('two'));
    await guest.send(HOST, text('gone'));
    await guest.dismiss((await lastOf(guest)).number);
    const following = guest.followMessages();
    expect((await take(following, 2)).map(wordsOf)).toEqual(['one', 'two']);
    const next = take(following, 2);
    await host.send([world.guestName], text('three'));
    await guest.send(HOST, text('four'));
    expect((await next).map(wordsOf)).toEqual(['three', 'four']);
    await following.close();
  });

  it('tells every follower every message, the same as listed', async () => {
    const { guest } = open();
    const first = guest.followMessages();
    const second = guest.followMessages();
    const both = [take(first, 1), take(second, 1)];
    await guest.send(HOST, text('hello'));
    const listed = await guest.listMessages();
    for (const heard of await Promise.all(both)) expect(heard).toEqual(listed);
    await first.close();
    await second.close();
  });

  it('goes on telling others when a follower is closed', async () => {
    const { guest } = open();
    const closed = guest.followMessages();
    const waiting = closed.next();
    const open2 = guest.followMessages();
    await closed.close();
    expect((await waiting).done).toBe(true);
    await guest.send(HOST, text('hello'));
    expect((await take(open2, 1)).map(wordsOf)).toEqual(['hello']);
    await open2.close();
  });

  it("delivers the recipient's copy before the sender's own", async () => {
    const { guest, other } = open();
    const arrivals: string[] = [];
    const theirs = other.followMessages();
    const own = guest.followMessages();
    const both = [
      take(theirs, 1).then(() => arrivals.push('recipient')),
      take(own, 1).then(() => arrivals.push('sender')),
    ];
    // An answer to a later call: by now both are waiting at the daemon.
    await Promise.all([other.listMessages(), guest.listMessages()]);
    await guest.send([PEER], text('hello'));
    await Promise.all(both);
    expect(arrivals).toEqual(['recipient', 'sender']);
    await theirs.close();
    await own.close();
  });

  it('has its own message in the mailbox when the call is answered', async () => {
    const { guest, other } = open();
    await guest.send([PEER], text('hello'));
    const [mine] = await guest.listMessages();
    const [theirs] = await other.listMessages();
    expect(mine?.messageId).toMatch(/^[0-9a-f]{64}$/u);
    expect(theirs?.messageId).toBe(mine?.messageId);
  });
};
