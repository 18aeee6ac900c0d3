import { M } from '@endo/patterns';

/** Characters of one string: of a message, a description, a reason. */
const MAX_TEXT = 1_000_000;
/** Characters of a piece of code. */
const MAX_SOURCE = 1_000_000;
const MAX_LIST = 1_000_000;

export const NameShape = M.string({ stringLengthLimit: 255 });
harden(NameShape);
export const PathShape = M.arrayOf(NameShape, { arrayLengthLimit: 100 });
harden(PathShape);
export const NameOrPathShape = M.or(NameShape, PathShape);
harden(NameOrPathShape);
export const OptionalNameOrPathShape = M.or(
  NameShape,
  PathShape,
  M.undefined(),
);
harden(OptionalNameOrPathShape);
export const IdShape = M.string({ stringLengthLimit: 200 });
harden(IdShape);
export const LocatorShape = M.string({ stringLengthLimit: 1000 });
harden(LocatorShape);
/** All of a blob, as far as it is given out in one piece. */
export const BlobTextShape = M.string({ stringLengthLimit: 2 * 1024 * 1024 });
harden(BlobTextShape);
export const TextShape = M.string({ stringLengthLimit: MAX_TEXT });
harden(TextShape);
export const SourceShape = M.string({ stringLengthLimit: MAX_SOURCE });
harden(SourceShape);
export const ReasonShape = M.or(TextShape, M.error(), M.undefined());
harden(ReasonShape);
/** The numbers of a mailbox are 64-bit integers. */
export const MessageNumberShape = M.and(M.nat(), M.lt(2n ** 63n));
harden(MessageNumberShape);
export const NamesShape = M.arrayOf(NameShape, { arrayLengthLimit: MAX_LIST });
harden(NamesShape);
export const IdsShape = M.arrayOf(IdShape, { arrayLengthLimit: MAX_LIST });
harden(IdsShape);
export const StringsShape = M.arrayOf(TextShape, { arrayLengthLimit: 1001 });
harden(StringsShape);
export const EdgeNamesShape = M.arrayOf(NameShape, { arrayLengthLimit: 1000 });
harden(EdgeNamesShape);
export const PetNamesShape = M.arrayOf(NameOrPathShape, {
  arrayLengthLimit: 1000,
});
harden(PetNamesShape);
export const MessagesShape = M.arrayOf(M.record(), {
  arrayLengthLimit: MAX_LIST,
});
harden(MessagesShape);
export const HelpShape = M.string({ stringLengthLimit: MAX_TEXT });
harden(HelpShape);
/** What an agent can rely on, as data. Endo's daemons say nothing of the kind. */
export const GuaranteesShape = M.splitRecord(
  { mail: 'exactly-once', grants: 'at-most-once' },
  {},
  {},
);
harden(GuaranteesShape);
export const EnvShape = M.recordOf(NameShape, TextShape, {
  numPropertiesLimit: 1000,
});
harden(EnvShape);
export const IntroducedNamesShape = M.recordOf(NameShape, NameShape, {
  numPropertiesLimit: 1000,
});
harden(IntroducedNamesShape);
