import { hashToken, isToken, newToken, tokenIdOf } from '../../../shared/auth/tokens.ts';

const changed = (token: string, position: number): string => {
  const other = token[position] === 'A' ? 'B' : 'A';
  return token.slice(0, position) + other + token.slice(position + 1);
};

describe('a personal access token', () => {
  it('has a prefix, 43 characters of secret and 6 of checksum', () => {
    expect(newToken()).toMatch(/^str_pat_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
  });

  it('is another one each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newToken())).size).toBe(1_000);
  });

  it('has all of its 256 bits: its first characters are seldom zeros', () => {
    const beginnings = Array.from({ length: 20 }, () => newToken().slice('str_pat_'.length, 'str_pat_'.length + 3));
    expect(beginnings.filter((beginning) => beginning === '000')).toEqual([]);
    expect(new Set(beginnings).size).toBeGreaterThan(10);
  });

  it('is recognised by its checksum, whichever character was mistyped', () => {
    const token = newToken();
    expect(isToken(token)).toBe(true);
    for (let position = 0; position < token.length; position += 1)
      expect(isToken(changed(token, position))).toBe(false);
  });

  it.each([
    ['nothing', (): string => ''],
    ['one character less', (token: string): string => token.slice(0, -1)],
    ['one character more', (token: string): string => `${token}0`],
    ['a line break after it', (token: string): string => `${token}\n`],
    ['two neighbours swapped', (token: string): string => token.slice(0, 8) + swapped(token.slice(8))],
  ])('is not recognised with %s', (_, change) => {
    expect(isToken(change(newToken()))).toBe(false);
  });

  it('is stored as its SHA-256', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('has an ID that comes from its hash: a UUID of version 8', () => {
    const tokenHash = hashToken(newToken());
    expect(tokenIdOf(tokenHash)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(tokenIdOf(tokenHash)).toBe(tokenIdOf(tokenHash));
  });
});

/** The first two neighbours that differ, in the other order. */
const swapped = (text: string): string => {
  const position = Array.from(text).findIndex((character, index) => character !== text[index + 1]);
  return text.slice(0, position) + text.charAt(position + 1) + text.charAt(position) + text.slice(position + 2);
};
