import { describe, expect, it } from 'vitest';
import { edgeNamesFor } from '../../../daemon/mail/proposal-message.ts';
import { isPetName } from '../../../daemon/name/pet-name.ts';

describe('edge names of a proposal', () => {
  it('are the last names of the paths', () => {
    expect(edgeNamesFor([['counter'], ['place', 'deep']])).toEqual([
      'counter',
      'deep',
    ]);
  });

  it('are unique', () => {
    expect(
      edgeNamesFor([['a'], ['b', 'a'], ['a-2'], ['c', 'a'], ['a']]),
    ).toEqual(['a', 'a-2', 'a-2-2', 'a-3', 'a-4']);
  });

  it('are names that can be given, also of special and of long ones', () => {
    const long = 'x'.repeat(128);
    const names = edgeNamesFor([['AGENT'], ['HOST'], [long], ['y', long]]);
    expect(names.slice(0, 2)).toEqual(['agent', 'host']);
    for (const name of names) expect(isPetName(name)).toBe(true);
    expect(new Set(names).size).toBe(4);
  });
});
