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

export const proposalRefusals = {
  ...refusals(
    ['requestEvaluation'],
    (name) => `${name}: ${NEXT}; evaluate proposes code to the HOST`,
  ),
  ...refusals(['define', 'form'], (name) => `${name}: ${NEXT}`),
};
harden(proposalRefusals);

export const hostRefusals = {
  ...proposalRefusals,
  ...refusals(
    ['approveEvaluation'],
    (name) => `${name}: ${NEXT}; grantEvaluate runs what a guest proposed`,
  ),
  ...refusals(['endow', 'respondForm'], (name) => `${name}: ${NEXT}`),
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
