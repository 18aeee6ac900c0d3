import { M } from '@endo/patterns';
import {
  BlobTextShape,
  EdgeNamesShape,
  EnvShape,
  GuaranteesShape,
  HelpShape,
  IdShape,
  IdsShape,
  IntroducedNamesShape,
  LocatorShape,
  MessageNumberShape,
  MessagesShape,
  NameOrPathShape,
  NameShape,
  NamesShape,
  OptionalNameOrPathShape,
  PathShape,
  PetNamesShape,
  ReasonShape,
  SourceShape,
  StringsShape,
  TextShape,
} from './shapes.ts';

const help = M.call().optional(NameShape).returns(HelpShape);
const nothing = M.undefined();

const directoryGuards = harden({
  has: M.call().rest(PathShape).returns(M.boolean()),
  identify: M.call().rest(PathShape).returns(M.or(IdShape, nothing)),
  reverseIdentify: M.call(IdShape).returns(NamesShape),
  locate: M.call().rest(PathShape).returns(M.or(LocatorShape, nothing)),
  reverseLocate: M.call(LocatorShape).returns(NamesShape),
  list: M.call().rest(PathShape).returns(NamesShape),
  listIdentifiers: M.call().rest(PathShape).returns(IdsShape),
  lookup: M.callWhen(NameOrPathShape).returns(M.any()),
  lookupById: M.callWhen(IdShape).returns(M.any()),
  reverseLookup: M.callWhen(M.await(M.any())).returns(NamesShape),
  write: M.callWhen(NameOrPathShape, IdShape).returns(nothing),
  remove: M.callWhen().rest(PathShape).returns(nothing),
  move: M.callWhen(NameOrPathShape, NameOrPathShape).returns(nothing),
  copy: M.callWhen(NameOrPathShape, NameOrPathShape).returns(nothing),
  makeDirectory: M.callWhen(NameOrPathShape).returns(M.remotable('directory')),
  followNameChanges: M.call().rest(PathShape).returns(M.remotable('iterator')),
  followLocatorNameChanges: M.call(LocatorShape).returns(
    M.remotable('iterator'),
  ),
  help,
});

const mailGuards = harden({
  guarantees: M.call().returns(GuaranteesShape),
  handle: M.call().returns(M.remotable('handle')),
  listMessages: M.call().returns(MessagesShape),
  followMessages: M.call()
    .optional(M.bigint())
    .returns(M.remotable('iterator')),
  send: M.callWhen(
    NameOrPathShape,
    StringsShape,
    EdgeNamesShape,
    PetNamesShape,
  ).returns(nothing),
  reply: M.callWhen(
    MessageNumberShape,
    StringsShape,
    EdgeNamesShape,
    PetNamesShape,
  ).returns(nothing),
  request: M.callWhen(NameOrPathShape, TextShape)
    .optional(OptionalNameOrPathShape)
    .returns(M.any()),
  resolve: M.callWhen(MessageNumberShape, NameOrPathShape).returns(nothing),
  reject: M.callWhen(MessageNumberShape).optional(ReasonShape).returns(nothing),
  adopt: M.callWhen(MessageNumberShape, NameShape, NameOrPathShape).returns(
    nothing,
  ),
  dismiss: M.callWhen(MessageNumberShape).returns(nothing),
  dismissAll: M.callWhen().returns(nothing),
  deliver: M.callWhen(M.any()).returns(nothing),
  storeValue: M.callWhen(M.any(), NameOrPathShape).returns(nothing),
});

/** What is asked of an agent and not done here (yet): any arguments, an error in words. */
const refused = M.callWhen().rest(M.arrayOf(M.any())).returns(nothing);
const CODE_ARGUMENTS = [
  OptionalNameOrPathShape,
  SourceShape,
  EdgeNamesShape,
  PetNamesShape,
] as const;
const counterGuard = M.callWhen(
  MessageNumberShape,
  SourceShape,
  EdgeNamesShape,
  PetNamesShape,
)
  .optional(OptionalNameOrPathShape, OptionalNameOrPathShape)
  .returns(nothing);
const evaluateGuard = M.callWhen(...CODE_ARGUMENTS)
  .optional(OptionalNameOrPathShape)
  .returns(M.any());

export const DirectoryI = M.interface('Directory', directoryGuards);
harden(DirectoryI);

export const GuestI = M.interface('Guest', {
  ...directoryGuards,
  ...mailGuards,
  evaluate: evaluateGuard,
  requestEvaluation: refused,
  define: refused,
  form: refused,
});
harden(GuestI);

const AgentOptionsShape = M.splitRecord(
  {},
  {
    agentName: M.or(NameShape, nothing),
    introducedNames: M.or(IntroducedNamesShape, nothing),
  },
  {},
);
const CapletOptionsShape = M.splitRecord(
  {},
  {
    powersName: OptionalNameOrPathShape,
    resultName: OptionalNameOrPathShape,
    env: M.or(EnvShape, nothing),
  },
  {},
);

const RemakeOptionsShape = M.splitRecord(
  {},
  {
    resultName: OptionalNameOrPathShape,
    env: M.or(EnvShape, nothing),
    keep: M.or(NamesShape, nothing),
  },
  {},
);

export const HostI = M.interface('EndoHost', {
  ...directoryGuards,
  ...mailGuards,
  evaluate: evaluateGuard,
  provideGuest: M.callWhen()
    .optional(OptionalNameOrPathShape, M.or(AgentOptionsShape, nothing))
    .returns(M.remotable('guest')),
  provideHost: M.callWhen()
    .optional(OptionalNameOrPathShape, M.or(AgentOptionsShape, nothing))
    .returns(M.remotable('host')),
  provideWorker: M.callWhen(NameOrPathShape).returns(M.remotable('worker')),
  makeUnconfined: M.callWhen(OptionalNameOrPathShape, LocatorShape)
    .optional(M.or(CapletOptionsShape, nothing))
    .returns(M.any()),
  remakeUnconfined: M.callWhen(NameOrPathShape, LocatorShape)
    .optional(M.or(RemakeOptionsShape, nothing))
    .returns(M.any()),
  storeBlob: M.callWhen(M.await(M.remotable('reader')))
    .optional(OptionalNameOrPathShape)
    .returns(M.remotable('blob')),
  cancel: M.callWhen(NameOrPathShape).optional(ReasonShape).returns(nothing),
  makeBundle: refused,
  requestEvaluation: refused,
  define: refused,
  form: refused,
  grantEvaluate: M.callWhen(MessageNumberShape).returns(M.any()),
  counterEvaluate: counterGuard,
  approveEvaluation: refused,
  endow: refused,
  respondForm: refused,
  greeter: refused,
  gateway: refused,
  getPeerInfo: refused,
  addPeerInfo: refused,
  invite: refused,
  accept: refused,
});
harden(HostI);

const PingShape = M.splitRecord(
  {
    pong: true,
    version: M.string(),
    source: M.string(),
    pid: M.number(),
    node: M.string(),
    clients: M.number(),
  },
  {},
  {},
);

export const EndoI = M.interface('Endo', {
  ping: M.call().returns(PingShape),
  terminate: M.callWhen().returns(nothing),
  host: M.callWhen().returns(M.remotable('host')),
  leastAuthority: M.callWhen().returns(M.remotable('least authority')),
  nodeId: M.call().returns(M.string()),
  greeter: refused,
  gateway: refused,
  help,
});
harden(EndoI);

export const IteratorI = M.interface('AsyncIterator', {
  next: M.callWhen()
    .optional(M.any())
    .returns(M.splitRecord({ value: M.any(), done: M.boolean() })),
  return: M.callWhen()
    .optional(M.any())
    .returns(M.splitRecord({ value: M.any(), done: M.boolean() })),
  throw: M.callWhen()
    .optional(M.any())
    .returns(M.splitRecord({ value: M.any(), done: M.boolean() })),
  help,
});
harden(IteratorI);

export const BlobI = M.interface('EndoBlob', {
  sha512: M.call().returns(M.string()),
  streamBase64: M.call().returns(M.remotable('iterator')),
  text: M.callWhen().returns(BlobTextShape),
  json: M.callWhen().returns(M.any()),
  help,
});
harden(BlobI);

/** For things that are there to be held, and say what they are. */
export const TokenI = M.interface('Token', { help });
harden(TokenI);

export const ResolverI = M.interface('Resolver', {
  resolveWithId: M.callWhen(M.await(IdShape)).returns(nothing),
  reject: M.callWhen().optional(ReasonShape).returns(nothing),
  help,
});
harden(ResolverI);
