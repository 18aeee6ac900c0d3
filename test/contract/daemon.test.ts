import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectToDaemon } from '../../daemon/connection/client.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { describeGuestContract } from './guest.ts';
import { provideContractWorld } from './world.ts';

let worlds = 0;

/** Names that no earlier run has left behind, where a daemon outlives the test. */
const nextTag = (prefix: string): string => {
  worlds += 1;
  return `${prefix}${worlds}`;
};

describe("Hob's daemon", () => {
  let host: unknown;
  let stop: () => Promise<void> = () => Promise.resolve();

  beforeAll(async () => {
    const daemon = await startTestDaemon();
    stop = daemon.stop;
    host = (await daemon.client()).host;
  });
  afterAll(() => stop());

  describeGuestContract("Hob's daemon", () =>
    provideContractWorld(host, nextTag('')),
  );
});

const { ENDO_SOCK } = process.env;
if (ENDO_SOCK !== undefined) {
  describe(`the daemon at ${ENDO_SOCK}`, () => {
    let host: unknown;
    let close: () => void = () => undefined;

    beforeAll(async () => {
      const client = await connectToDaemon({
        socketPath: ENDO_SOCK,
        name: 'contract suite',
      });
      close = client.close;
      const endo = client.endo as { host: () => Promise<unknown> };
      host = await E(endo).host();
    });
    afterAll(() => close());

    it('hands out its host', () => {
      expect(host).toEqual(expect.anything());
    });
    describeGuestContract(
      'the daemon of ENDO_SOCK',
      () => provideContractWorld(host, nextTag(`${Date.now().toString(36)}-`)),
      { strict: false },
    );
  });
}
