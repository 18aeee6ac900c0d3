/** Agents on a real daemon that are killed on purpose. */
import { join } from 'node:path';
import { E } from '@endo/far';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import { nodeName, sortNames } from '../../src/transcript/names.ts';
import { makeChaosLog } from './chaos-log.ts';
import { type ChaosPeople, meetPeople } from './chaos-people.ts';
import type { ChaosPlan } from './chaos-plan.ts';
import { answerStep } from './chaos-script.ts';
import type { Ended, Fate, Subject } from './chaos-subject.ts';
import { type Verdict, judge, judgeEndless } from './chaos-verdict.ts';
import { type FarGuest, startTestDaemon } from './daemon.ts';
import { LONGEST_WAIT_MS, makeNews } from './news.ts';
import { type RequestBody, startOpenAiServer } from './openai-server.ts';

const FIXTURE = new URL('../system/fixtures/chaos-agents.ts', import.meta.url)
  .href;

export type Kill = 'worker' | 'daemon';

export type ChaosWorld = {
  /**
   * A turn of eight steps for each; a kill when all stand still, or after each
   * of these times, in milliseconds, since they were started; and what came of
   * it.
   */
  readonly run: (
    fates: readonly Fate[],
    kill: Kill,
    instants?: readonly number[],
  ) => Promise<readonly Verdict[]>;
  /** Labels of the calls of a life that nothing interrupts, in their order. */
  readonly labels: () => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
};

export const startChaos = async (): Promise<ChaosWorld> => {
  const { happened, until } = makeNews();
  const daemon = await startTestDaemon();
  const log = makeChaosLog(join(daemon.statePath, 'chaos.log'));
  const subjects = new Map<string, Subject>();
  const reached = new Set<string>();
  let plan: ChaosPlan = { agents: [] };
  let life = 0;
  /** Of the process of the agents; none while it is not there. */
  let pid: number | undefined;
  let batches = 0;
  const troubles: string[] = [];

  /** The agents' process asks who is to run, and tells how far it is. */
  const answerChaos = (body: RequestBody) => {
    if (body['chaos'] === 'reached') reached.add(body['name'] as string);
    if (body['chaos'] === 'started') pid = body['pid'] as number;
    happened();
    return { raw: JSON.stringify(plan) };
  };
  const server = await startOpenAiServer(({ body }) => {
    if (body['chaos'] !== undefined) return answerChaos(body);
    try {
      const { step, reply } = answerStep(body);
      subjects.get(body.model)?.asked.push({ step, life });
      return reply;
    } catch (error) {
      troubles.push(`${body.model}: ${String(error)}`);
      throw error;
    }
  });

  const connect = async (): Promise<ChaosPeople> =>
    meetPeople({
      far: (await daemon.client()).host,
      grants: (from) =>
        [...subjects.values()].find(({ id }) => id === from)?.isGranted,
      onNews: happened,
    });
  let people = await connect();
  await people.host.storeValue(42, ['gift']);

  const prepare = async (fate: Fate, index: number): Promise<void> => {
    const { far, host, bobId } = people;
    const name = `p${batches}-${index}`;
    const agentName = `profile-for-${name}`;
    const powers = (await E(far).provideGuest(name, { agentName })) as FarGuest;
    const guest = makeGenerationAGuest(powers);
    const [id = ''] = await Promise.all([
      host.identify([name]),
      E(powers).write('bob', bobId),
      guest.storeValue('a note', ['note']),
      guest.storeValue('it', ['here']),
      guest.storeValue('rubbish', ['rubbish']),
      host.send([name], {
        strings: ['Do it all with ', ''],
        edgeNames: ['gift'],
        petNames: [['gift']],
      }),
    ]);
    subjects.set(name, { ...fate, name, id, asked: [], journaled: [0] });
  };

  const pathOf = (): string => `chaos-${batches}`;

  const begin = async (fates: readonly Fate[]): Promise<void> => {
    batches += 1;
    life = 0;
    subjects.clear();
    reached.clear();
    await Promise.all(fates.map(prepare));
    const agents = [...subjects.values()].map(({ name, point }) =>
      point === undefined ? { name } : { name, point },
    );
    plan = { agents };
    const { far } = people;
    await E(far).makeUnconfined(pathOf(), FIXTURE, {
      powersName: 'AGENT',
      resultName: pathOf(),
      env: { CHAOS_URL: server.url, CHAOS_LOG: log.path, LAL_HOST: server.url },
    });
    await E(far).copy([pathOf()], ['PINS', pathOf()]);
  };

  const finish = async (): Promise<void> => {
    const { far } = people;
    await E(far).remove('PINS', pathOf());
    await E(far).cancel(pathOf());
    await E(far).remove(pathOf());
    await people.dismissAll();
    pid = undefined;
  };

  const describe = (name: string, wants: readonly string[]): string =>
    [
      `${name} wants ${wants.join(', ')} after ${log.endOf(name)}`,
      ...troubles,
    ].join('\n');

  const untilStarted = (): Promise<void> =>
    until(
      () => pid !== undefined,
      () => 'The process of the agents does not start',
    );

  const untilReached = async (): Promise<void> => {
    for (const { name, point } of subjects.values()) {
      const wants = [`to be ${point?.side ?? 'at'} ${point?.label ?? 'all'}`];
      await until(
        () => reached.has(name),
        () => describe(name, wants),
      );
    }
    // Code that runs when the daemon is killed is lost, as it should be.
    await until(
      () => !people.isDeciding(),
      () => 'The HOST comes to no decision',
    );
  };

  const killNow = async (kill: Kill): Promise<void> => {
    const worker = pid ?? 0;
    pid = undefined;
    // From here on nobody stands still.
    plan = { agents: plan.agents.map(({ name }) => ({ name })) };
    if (kill === 'worker') process.kill(worker, 'SIGKILL');
    else await daemon.kill9();
    for (const { name, journaled } of subjects.values())
      journaled.push(log.answersOf(name));
    life += 1;
    if (kill === 'worker') return;
    await daemon.restart();
    people = await connect();
  };

  const repliesOf = (id: string): readonly string[] =>
    [...people.forHost.values()].flatMap((mail) =>
      mail.type === 'package' && mail.from === id ? mail.strings : [],
    );

  /** What is still to come, as the names of its directory show it. */
  const wantsIn = (id: string, names: ReadonlySet<string>) => {
    const mail = [...people.forHost.values()];
    const question = mail.find(({ to }) => to === id)?.messageId ?? '';
    const proposal =
      mail.find(({ type, from }) => type === 'review' && from === id)
        ?.messageId ?? '';
    return [
      ...(names.has(nodeName(question)) ? [] : ['a node']),
      ...(names.has(nodeName(proposal)) ? [] : ['a node of the decision']),
      ...(names.has(`hob-open-${proposal}`) ? ['a closed proposal'] : []),
      ...(sortNames([...names]).entries.size > 0 ? ['an empty journal'] : []),
    ];
  };

  /** @throws Error that says what did not come before `end` */
  const untilOver = async (
    { name, id }: Subject,
    end: number,
  ): Promise<Ended> => {
    const hasTold = (text: string): boolean =>
      repliesOf(id).some((reply) => reply.includes(text));
    await until(
      () => hasTold('Done.') && hasTold('It was '),
      () => describe(name, ['its replies']),
      end - performance.now(),
    );
    const powers = await E(people.far).lookup(`profile-for-${name}`);
    const guest = makeGenerationAGuest(powers);
    for (;;) {
      const names = new Set(await guest.list([]));
      const wants = wantsIn(id, names);
      if (wants.length === 0) return { guest, names };
      if (performance.now() > end) throw Error(describe(name, wants));
    }
  };

  const judgeAll = async (): Promise<readonly Verdict[]> => {
    const verdicts: Verdict[] = [];
    const end = performance.now() + LONGEST_WAIT_MS;
    // One after the other: most are over by the time that they are looked at.
    for (const subject of subjects.values()) {
      try {
        const ended = await untilOver(subject, end);
        const { forHost, forBob } = people;
        const seen = { host: [...forHost.values()], bob: [...forBob.values()] };
        verdicts.push(await judge(subject, ended, seen));
      } catch (error) {
        verdicts.push(judgeEndless(subject, (error as Error).message));
      }
    }
    return verdicts;
  };

  return {
    run: async (fates, kill, instants) => {
      await begin(fates);
      if (instants === undefined) {
        await untilReached();
        await killNow(kill);
      }
      for (const instant of instants ?? []) {
        await untilStarted();
        await new Promise((resolve) => setTimeout(resolve, instant));
        await killNow(kill);
      }
      const verdicts = await judgeAll();
      await finish();
      return verdicts;
    },
    labels: async () => {
      await begin([{ isGranted: true }]);
      await judgeAll();
      await finish();
      const [name = ''] = subjects.keys();
      return log.callsOf(name);
    },
    stop: async () => {
      await daemon.stop();
      await server.close();
    },
  };
};
