import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  badReplies,
  type Reply,
  type ServerRequest,
} from '../support/openai-server.ts';
import { textOf } from '../support/person.ts';
import { type System, startSystem } from '../support/system.ts';

const attempts = new Map<string, number>();

const textIn = ({ body }: ServerRequest): string =>
  JSON.stringify(body.messages.filter(({ role }) => role === 'user').at(-1));

/** A reply by the word that the message holds. */
const misbehave = (request: ServerRequest): Reply => {
  const text = textIn(request);
  const results = request.body.messages.filter(({ role }) => role === 'tool');
  const kind = /case-(\w+)/u.exec(text)?.[1] ?? '';
  const attempt = (attempts.get(kind) ?? 0) + 1;
  attempts.set(kind, attempt);
  switch (kind) {
    case 'unauthorized':
      return badReplies.unauthorized;
    case 'busy':
      return attempt === 1
        ? { ...badReplies.tooMany, headers: { 'retry-after': '0' } }
        : { text: 'Not busy any more.' };
    case 'broken':
      return badReplies.serverError;
    case 'html':
      return badReplies.notJson;
    case 'empty':
      return badReplies.emptyChoices;
    case 'hang':
      return badReplies.hang;
    case 'steps':
      return {
        toolCalls: [
          { name: 'store', args: { petName: `s-${attempt}`, value: 1 } },
        ],
      };
    case 'repeat':
      return { toolCalls: [{ name: 'list' }] };
    case 'slowtool':
      return results.length === 0
        ? {
            toolCalls: [
              { name: 'inspectCapability', args: { petNameOrPath: 'sleeper' } },
            ],
          }
        : { text: `The tool said: ${results[0]?.content ?? ''}` };
    default:
      return { text: 'Fine.' };
  }
};

let system: System;
beforeAll(async () => {
  system = await startSystem(misbehave, {
    LAL_MODEL_TIMEOUT_MS: '500',
    LAL_TOOL_TIMEOUT_MS: '300',
    LAL_MAX_CONCURRENT: '16',
    LAL_MAX_STEPS: '6',
    LAL_AUTH_TOKEN: 'sk-the-token',
  });
});
afterAll(() => system.stop());

describe('trouble with the model', () => {
  it('is one reply each, in the thread, with cause and remedy, and holds nobody up', async () => {
    const { host, settled } = system;
    const cases: { readonly [kind: string]: RegExp } = {
      unauthorized: /answered 401 .*Incorrect API key.*LAL_AUTH_TOKEN/u,
      busy: /^Not busy any more\.$/u,
      broken: /answered 500 .*out of memory.*the log of/u,
      html: /answered with no JSON .*LAL_HOST/u,
      empty: /answered with no choices .*LAL_HOST/u,
      hang: /within 500 ms.*LAL_MODEL_TIMEOUT_MS/u,
    };
    const questions = new Map<string, string>();
    for (const kind of Object.keys(cases)) {
      const { messageId } = await host.send('hob', `case-${kind}`);
      questions.set(messageId, kind);
    }
    // Others are answered while these are retried.
    const { messageId: quick } = await host.send('hob', 'Hello');
    questions.set(quick, 'quick');
    const answers = new Map<string, string>();
    const order: string[] = [];
    while (answers.size < questions.size) {
      const mail = await host.receive();
      const kind = questions.get(mail.replyTo ?? '') ?? 'stray';
      expect(answers.has(kind)).toBe(false);
      answers.set(kind, textOf(mail));
      order.push(kind);
    }
    for (const [kind, pattern] of Object.entries(cases)) {
      expect(answers.get(kind), kind).toMatch(pattern);
      expect(answers.get(kind), kind).not.toContain('sk-the-token');
    }
    expect(answers.get('quick')).toBe('Fine.');
    expect(order.indexOf('quick')).toBeLessThan(order.indexOf('hang'));
    for (const messageId of questions.keys()) await settled(messageId);
    const mailbox = await host.port.listMessages();
    expect(mailbox.filter(({ from }) => from !== host.id)).toHaveLength(
      questions.size + 1,
    );
  });

  it('is told when nothing listens where the model should be', async () => {
    const { host } = system;
    await system.server.close();
    await host.send('hob', 'case-refused');
    expect(await host.receiveText()).toMatch(/LAL_HOST/u);
  });
});

describe('limits of a turn', () => {
  let other: System;
  beforeAll(async () => {
    other = await startSystem(misbehave, {
      LAL_TOOL_TIMEOUT_MS: '300',
      LAL_MAX_STEPS: '6',
    });
  });
  afterAll(() => other.stop());

  it('end it after so many steps', async () => {
    await other.host.send('hob', 'case-steps');
    expect(await other.host.receiveText()).toMatch(/6 steps.*store ×6/u);
  });

  it('end it when a call repeats itself', async () => {
    await other.host.send('hob', 'case-repeat');
    expect(await other.host.receiveText()).toContain('list three times');
  });

  it('end a tool that hangs, and the turn goes on', async () => {
    const { hostPowers, hob } = other;
    await E(hostPowers).evaluate(
      undefined,
      "Far('Sleeper', { help: () => new Promise(() => {}) })",
      [],
      [],
      'sleeper',
    );
    await other.host.port.send(['hob'], {
      strings: ['A ', ''],
      edgeNames: ['sleeper'],
      petNames: [['sleeper']],
    });
    await other.host.receiveText();
    const [kept] = await hob.listMessages();
    await hob.adopt(kept?.number ?? -1n, 'sleeper', ['sleeper']);
    await other.host.send('hob', 'case-slowtool');
    expect(await other.host.receiveText()).toContain('no result within 300 ms');
  });
});
