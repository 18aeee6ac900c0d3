import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarDirectory,
  type FarHost,
  type FarIterator,
  type TestDaemon,
} from '../support/daemon.ts';

let daemon: TestDaemon;
let host: FarHost;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ host } = await daemon.client());
});
afterAll(() => daemon.stop());

const follow = async (iterator: unknown, count: number): Promise<unknown[]> => {
  const values: unknown[] = [];
  while (values.length < count) {
    const { value } = (await E(iterator as FarIterator).next()) as {
      value: unknown;
    };
    values.push(value);
  }
  return values;
};

describe('names', () => {
  it('stand for what was stored under them', async () => {
    await E(host).storeValue('hello', 'greeting');
    await expect(E(host).lookup('greeting')).resolves.toBe('hello');
    await expect(E(host).lookup(['greeting'])).resolves.toBe('hello');
    await expect(E(host).has('greeting')).resolves.toBe(true);
    await expect(E(host).has('nothing')).resolves.toBe(false);
    await expect(E(host).has('nothing', 'below')).resolves.toBe(false);
  });

  it('are refused when they are no pet names, with the rule', async () => {
    await expect(E(host).storeValue(1, 'Two words')).rejects.toThrow(
      /"Two words" is not a valid pet name: 1 to 128 of a-z, 0-9/,
    );
    await expect(E(host).storeValue(1, 'AGENT')).rejects.toThrow(
      /"AGENT" is a special name/,
    );
    await expect(E(host).remove('SELF')).rejects.toThrow(
      /"SELF" is a special name/,
    );
    await expect(E(host).move(['HOST'], ['mine'])).rejects.toThrow(
      /"HOST" is a special name/,
    );
  });

  it('that name nothing are said in the error', async () => {
    await expect(E(host).lookup('missing')).rejects.toThrow(
      'No value is named "missing"',
    );
    await expect(E(host).remove('missing')).rejects.toThrow(
      'No value is named "missing"',
    );
    await expect(E(host).lookup(['greeting', 'x'])).rejects.toThrow(
      '"greeting" is not a directory but a value of the kind marshal',
    );
    await expect(E(host).lookup('APPS')).rejects.toThrow(
      /serves no web applications/,
    );
  });

  it('of special values are listed, and lead to them', async () => {
    const names = (await E(host).list()) as string[];
    expect(names).toEqual(
      expect.arrayContaining([
        'AGENT',
        'ENDO',
        'HOST',
        'MAIN',
        'NETS',
        'NONE',
        'PINS',
        'SELF',
      ]),
    );
    await expect(E(host).lookup('AGENT')).resolves.toBe(host);
    await expect(E(host).lookup(['AGENT', 'AGENT', 'greeting'])).resolves.toBe(
      'hello',
    );
    await expect(E(host).identify('SELF')).resolves.toMatch(
      /^[0-9a-f]{64}:[0-9a-f]{64}$/,
    );
  });

  it('can be moved, copied, written by id, and removed', async () => {
    await E(host).storeValue(7n, 'seven');
    const id = await E(host).identify('seven');
    await E(host).move(['seven'], ['sept']);
    await E(host).copy('sept', 'sieben');
    await E(host).write('siete', id);
    await expect(E(host).reverseIdentify(id)).resolves.toEqual([
      'sept',
      'sieben',
      'siete',
    ]);
    await E(host).remove('sept');
    await expect(E(host).lookupById(id)).resolves.toBe(7n);
    await expect(E(host).write('x', 'no-id')).rejects.toThrow(
      /"no-id" is not a formula id/,
    );
    await expect(
      E(host).write('x', `${'0'.repeat(64)}:${'0'.repeat(64)}`),
    ).rejects.toThrow(/no value with the id/);
  });

  it('have locators that lead back', async () => {
    await E(host).storeValue('here', 'spot');
    const locator = await E(host).locate('spot');
    expect(locator).toMatch(
      /^endo:\/\/[0-9a-f]{64}\/\?id=[0-9a-f]{64}&type=marshal$/,
    );
    await expect(E(host).reverseLocate(locator)).resolves.toEqual(['spot']);
    await expect(E(host).locate('nowhere')).resolves.toBe(undefined);
    await expect(E(host).reverseLocate('endo:nonsense')).rejects.toThrow(
      /is not a locator/,
    );
  });

  it('of an object are found by the object', async () => {
    const guest = await E(host).provideGuest('finder', {
      agentName: 'finder-agent',
    });
    await expect(E(host).reverseLookup(guest)).resolves.toEqual([
      'finder-agent',
    ]);
    await expect(E(host).reverseLookup('data')).resolves.toEqual([]);
  });
});

describe('directories', () => {
  it('hold names of their own, at any depth', async () => {
    const tools = (await E(host).makeDirectory('tools')) as FarDirectory;
    await E(tools).makeDirectory('deep');
    await E(host).storeValue('x', ['tools', 'deep', 'value']);
    await expect(E(host).list('tools')).resolves.toEqual(['deep']);
    await expect(E(tools).lookup(['deep', 'value'])).resolves.toBe('x');
    await expect(
      E(host).listIdentifiers('tools', 'deep'),
    ).resolves.toHaveLength(1);
  });

  it('never replace what has their name', async () => {
    await E(host).makeDirectory('once');
    await E(host).storeValue('kept', ['once', 'value']);
    await expect(E(host).makeDirectory('once')).rejects.toThrow(
      'Cannot make the directory "once": that name is taken',
    );
    await expect(E(host).lookup(['once', 'value'])).resolves.toBe('kept');
  });

  it('are not made on the way', async () => {
    await expect(E(host).storeValue(1, ['absent', 'value'])).rejects.toThrow(
      'No value is named "absent"',
    );
  });

  it('cannot be moved into themselves', async () => {
    await E(host).makeDirectory('loop');
    await expect(E(host).move(['loop'], ['loop', 'inner'])).rejects.toThrow(
      'a directory cannot be moved into itself',
    );
  });

  it('of another agent are reached through its agent name', async () => {
    await E(host).provideGuest('bob', { agentName: 'profile-for-bob' });
    await E(host).storeValue('his', ['profile-for-bob', 'thing']);
    await expect(E(host).lookup(['profile-for-bob', 'thing'])).resolves.toBe(
      'his',
    );
    await expect(E(host).lookup(['bob', 'thing'])).rejects.toThrow(
      /of the kind handle/,
    );
  });
});

describe('followers of names', () => {
  it('give what is there, then every change', async () => {
    const directory = (await E(host).makeDirectory('watched')) as FarDirectory;
    await E(host).storeValue(1, ['watched', 'a']);
    const iterator = await E(directory).followNameChanges();
    const id = (await E(directory).identify('a')) as string;
    const [number, node] = id.split(':');
    await expect(follow(iterator, 1)).resolves.toEqual([
      { add: 'a', value: { number, node } },
    ]);
    const waiting = follow(iterator, 2);
    await E(host).storeValue(2, ['watched', 'b']);
    await E(directory).remove('a');
    await expect(waiting).resolves.toMatchObject([
      { add: 'b' },
      { remove: 'a' },
    ]);
  });

  it('of a nested directory can be asked of the agent', async () => {
    await E(host).makeDirectory('outer');
    await E(host).makeDirectory(['outer', 'inner']);
    const iterator = await E(host).followNameChanges('outer', 'inner');
    const waiting = follow(iterator, 1);
    await E(host).storeValue(2, ['outer', 'inner', 'b']);
    await expect(waiting).resolves.toMatchObject([{ add: 'b' }]);
  });

  it('that do not read keep only the last change of a name', async () => {
    const directory = (await E(host).makeDirectory('busy')) as FarDirectory;
    const iterator = await E(directory).followNameChanges();
    for (let index = 0; index < 20; index += 1)
      await E(directory).write('x', await E(host).identify('SELF'));
    await E(host).storeValue('last', ['busy', 'x']);
    await E(host).storeValue('end', ['busy', 'y']);
    await expect(follow(iterator, 2)).resolves.toMatchObject([
      { add: 'x' },
      { add: 'y' },
    ]);
  });

  it('of a locator give names added and removed', async () => {
    const directory = (await E(host).makeDirectory('located')) as FarDirectory;
    await E(host).storeValue('v', ['located', 'one']);
    const locator = await E(directory).locate('one');
    const iterator = await E(directory).followLocatorNameChanges(locator);
    const waiting = follow(iterator, 3);
    await E(directory).copy('one', 'two');
    await E(directory).remove('one');
    await expect(waiting).resolves.toEqual([
      { add: locator, names: ['one'] },
      { add: locator, names: ['two'] },
      { remove: locator, names: ['one'] },
    ]);
  });

  it('end when returned, also while somebody waits', async () => {
    const directory = (await E(host).makeDirectory('short')) as FarDirectory;
    const iterator = (await E(directory).followNameChanges()) as FarIterator;
    const waiting = E(iterator).next();
    await E(iterator).return();
    await expect(waiting).resolves.toEqual({ value: undefined, done: true });
  });
});

describe('guards', () => {
  it.each([
    ['has', [5]],
    ['identify', [5]],
    ['reverseIdentify', [5]],
    ['locate', [{}]],
    ['reverseLocate', [5]],
    ['list', [5]],
    ['listIdentifiers', [5]],
    ['lookup', [5]],
    ['lookupById', [5]],
    ['write', ['x', 5]],
    ['remove', [5]],
    ['move', ['a', 5]],
    ['copy', [5, 'b']],
    ['makeDirectory', [5]],
    ['followNameChanges', [5]],
    ['followLocatorNameChanges', [5]],
    ['storeValue', [1, 5]],
    ['help', [5]],
    ['send', ['SELF', 'text', [], []]],
    ['reply', [1, ['text'], [], []]],
    ['request', ['SELF', 5]],
    ['resolve', [1, 'x']],
    ['reject', ['1']],
    ['adopt', [0n, 5, 'x']],
    ['dismiss', [1]],
    ['dismissAll', [1]],
    ['evaluate', [undefined, 5, [], []]],
    ['provideGuest', ['x', { agentname: 'misspelt' }]],
    ['provideWorker', [5]],
    ['makeUnconfined', [undefined, 5]],
    ['cancel', [5]],
  ] as const)(
    'name the method %s and the bad argument',
    async (method, args) => {
      await expect(E(host)[method](...args)).rejects.toThrow(
        new RegExp(`In \\W*${method}\\W* method of \\(EndoHost\\).*(arg|rest)`),
      );
    },
  );
});

describe('help', () => {
  it('has a text for every method of the host', async () => {
    await expect(E(host).help()).resolves.toContain('provideGuest(');
    await expect(E(host).help('lookup')).resolves.toContain(
      'lookup(nameOrPath)',
    );
    await expect(E(host).help('fly')).resolves.toContain('no help on "fly"');
  });
});
