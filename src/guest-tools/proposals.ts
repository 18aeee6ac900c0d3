import { withPurpose } from '../proposal/purpose.ts';
import { defineTool } from '../tool/define-tool.ts';
import {
  name,
  nameList,
  optional,
  text,
  textList,
} from '../tool/parameter-kinds.ts';
import { assertNotToolsItself } from '../tool/tools-folder.ts';
import { assertFree } from './free-name.ts';
import { replaceFlag } from './parameters.ts';
import type { TurnPowers } from './turn-powers.ts';

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/u;

const NOTHING = 'Nothing was proposed:';

/** Throws what does not fit, before the HOST is troubled with it. */
const assertBindings = (
  source: string,
  codeNames: readonly string[],
  values: number,
): void => {
  if (source.trim() === '') {
    throw Error(`${NOTHING} the source is empty.`);
  }
  if (codeNames.length !== values) {
    throw Error(
      `${NOTHING} ${codeNames.length} codeNames and ${values} petNames do not pair up. petNames[i] is your name for the value that the source calls codeNames[i].`,
    );
  }
  const odd = codeNames.find((each) => !IDENTIFIER.test(each));
  if (odd !== undefined) {
    throw Error(
      `${NOTHING} the code name ${JSON.stringify(odd)} is no JavaScript identifier.`,
    );
  }
  const twice = codeNames.find(
    (each, index) => codeNames.indexOf(each) !== index,
  );
  if (twice !== undefined) {
    throw Error(
      `${NOTHING} the code name ${JSON.stringify(twice)} is given twice.`,
    );
  }
};

export const proposedResult = (
  proposal: bigint,
  resultName: string | undefined,
): { readonly [key: string]: unknown } => ({
  status: 'pending',
  proposal,
  ...(resultName === undefined ? {} : { resultName }),
});
harden(proposedResult);

export const evaluate = defineTool({
  name: 'evaluate',
  description:
    'Propose code to the HOST. The outcome comes later, as a message. petNames[i] is your name for the value that the source calls codeNames[i].',
  effect: 'once',
  parameters: {
    source: text('', { aliases: ['code'] }),
    codeNames: optional(textList(), []),
    petNames: optional(
      nameList('', { aliases: ['edgeNames', 'petNamePaths'] }),
      [],
    ),
    resultName: optional(name()),
    purpose: optional(text(), ''),
    replace: replaceFlag,
  },
  execute: async (
    { source, codeNames, petNames, resultName, purpose, replace },
    powers: TurnPowers,
  ) => {
    assertBindings(source, codeNames, petNames.length);
    if (resultName !== undefined) assertNotToolsItself(resultName);
    if (resultName !== undefined && !replace) {
      await assertFree(resultName, powers);
    }
    const { number } = await powers.asking.propose(
      harden({
        source: withPurpose(source, purpose),
        codeNames,
        petNames,
        resultName,
      }),
    );
    return proposedResult(number, resultName?.join('/'));
  },
});
harden(evaluate);
