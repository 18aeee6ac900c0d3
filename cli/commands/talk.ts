import type { Command } from '../powers.ts';
import { withSession } from '../session.ts';
import { runTalk } from '../talk/talk.ts';

/** A conversation, in the terminal or a line of standard input a message. */
export const talk: Command = harden({
  spec: {
    name: 'talk',
    summary: 'have a conversation with an agent',
    args: [{ syntax: '<agent>', help: 'pet name of the agent, such as hob' }],
    examples: ['talk hob'],
  },
  run: (powers, call) =>
    withSession(powers, call, (session) =>
      runTalk(powers, session, call.args[0] ?? '', call.json),
    ),
});
