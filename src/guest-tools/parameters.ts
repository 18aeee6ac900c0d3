import { flag, optional } from '../tool/parameter-kinds.ts';

/**
 * Lal has three spellings for a name and Fae others; a model that was shown one
 * tool writes its spelling for the next. All are accepted where there is one
 * name to give.
 */
export const NAME_SPELLINGS = harden({
  aliases: ['petName', 'petNamePath', 'petNameOrPath', 'path', 'name'],
});
harden(NAME_SPELLINGS);

export const FROM_SPELLINGS = harden({
  aliases: ['from', 'fromName', 'source'],
});
harden(FROM_SPELLINGS);

export const TO_SPELLINGS = harden({
  aliases: ['to', 'toName', 'destination'],
});
harden(TO_SPELLINGS);

export const NUMBER_SPELLINGS = harden({ aliases: ['number'] });
harden(NUMBER_SPELLINGS);

export const replaceFlag = optional(flag(), false);
harden(replaceFlag);
