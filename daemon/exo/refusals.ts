type Refusal = (...args: unknown[]) => Promise<never>;

const refuse =
  (why: string): Refusal =>
  () =>
    Promise.reject(Error(why));

/** Methods that answer with an error in words. Their seam is here. */
const refusals = <const Name extends string>(
  names: readonly Name[],
  why: (name: Name) => string,
): Record<Name, Refusal> =>
  Object.fromEntries(names.map((name) => [name, refuse(why(name))])) as Record<
    Name,
    Refusal
  >;

const NEXT = 'this version of the embedded daemon does not do that yet';
const ELSEWHERE =
  "it needs several machines or a bundler, which are the business of Endo's full daemon (github.com/endojs/endo)";

export const proposalRefusals = refusals(
  ['requestEvaluation', 'define', 'form'],
  (name) => `${name}: ${NEXT}`,
);
harden(proposalRefusals);

export const hostRefusals = {
  ...proposalRefusals,
  ...refusals(
    [
      'provideHost',
      'storeBlob',
      'grantEvaluate',
      'counterEvaluate',
      'approveEvaluation',
      'endow',
      'respondForm',
    ],
    (name) => `${name}: ${NEXT}`,
  ),
  ...refusals(
    [
      'greeter',
      'gateway',
      'getPeerInfo',
      'addPeerInfo',
      'invite',
      'accept',
      'makeBundle',
    ],
    (name) => `${name} is out of scope here: ${ELSEWHERE}`,
  ),
};
harden(hostRefusals);

export const endoRefusals = refusals(
  ['greeter', 'gateway'],
  (name) => `${name} is out of scope here: ${ELSEWHERE}`,
);
harden(endoRefusals);

/** What a guest is told that proposes code. */
export const proposeRefusal = refuse(
  'evaluate: proposals of code to the HOST are not built yet in this version of the embedded daemon',
);
harden(proposeRefusal);
