import { makeFakeWorld } from '../support/fake-guest.ts';
import { describeGuestContract } from './guest.ts';
import { provideContractWorld } from './world.ts';

describeGuestContract('the fake world', () =>
  provideContractWorld(makeFakeWorld().host, '1'),
);

describeGuestContract(
  'the fake world as generation A is',
  () => provideContractWorld(makeFakeWorld({ strict: false }).host, '1'),
  { strict: false },
);
