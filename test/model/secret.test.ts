import { inspect } from 'node:util';

import { passStyleOf } from '@endo/pass-style';
import { describe, expect, it } from 'vitest';

import { makeSecret, withoutSecret } from '../../src/model/secret.ts';

describe('a secret', () => {
  const secret = makeSecret('sk-very-secret');

  it('is revealed to who asks for it', () => {
    expect(secret.reveal()).toBe('sk-very-secret');
  });

  it('is not shown by printing, inspecting or serialising it', () => {
    expect(String(secret)).toBe('[secret]');
    expect(`token: ${secret.toString()}`).toBe('token: [secret]');
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
    expect(inspect({ secret }, { depth: 5, showHidden: true })).toBe(
      '{ secret: [secret] }',
    );
  });

  it('cannot be passed to another vat', () => {
    expect(() => passStyleOf(secret as never)).toThrow();
  });

  it('is taken out of a text that others wrote', () => {
    expect(withoutSecret('bad key sk-very-secret!', secret)).toBe(
      'bad key [secret]!',
    );
    expect(withoutSecret('bad key', undefined)).toBe('bad key');
    expect(withoutSecret('bad key', makeSecret(''))).toBe('bad key');
  });
});
