import { getInterfaceMethodKeys, type InterfaceGuard } from '@endo/patterns';
import { describe, expect, it } from 'vitest';
import {
  DirectoryI,
  EndoI,
  GuestI,
  HostI,
} from '../../../daemon/exo/guards.ts';
import {
  directoryHelp,
  endoHelp,
  guestHelp,
  helpText,
  hostHelp,
} from '../../../daemon/exo/help.ts';
import { hostRefusals } from '../../../daemon/exo/refusals.ts';

const methodsOf = (guard: InterfaceGuard): readonly string[] =>
  getInterfaceMethodKeys(guard).map(String);

describe('help', () => {
  it.each([
    ['the host', HostI, hostHelp],
    ['a guest', GuestI, guestHelp],
    ['a directory', DirectoryI, directoryHelp],
    ['the bootstrap', EndoI, endoHelp],
  ] as const)('has a text for every method of %s', (title, guard, texts) => {
    const methods = methodsOf(guard);
    expect(Object.keys(texts).toSorted()).toEqual(methods.toSorted());
    for (const method of methods) {
      const text = helpText(title, texts, method);
      expect(text).toMatch(new RegExp(`^${method}\\(.*\\): .{10}`, 'u'));
      expect(helpText(title, texts)).toContain(text);
    }
  });

  it('says of what is refused that it is', () => {
    for (const method of Object.keys(hostRefusals))
      expect(helpText('', hostHelp, method)).toMatch(
        /[Nn]ot built yet|refused/u,
      );
  });

  it('on what is no method names those that are', () => {
    expect(helpText('', guestHelp, 'toString')).toMatch(
      /^There is no help on "toString"\. The methods are: has, .*evaluate/u,
    );
  });
});
