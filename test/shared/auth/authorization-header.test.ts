import { decodeAuthorization } from '../../../shared/auth/authorization-header.ts';
import { newToken } from '../../../shared/auth/tokens.ts';
import { accountHeader, bearerHeader, tokenHeader } from '../../harness/credentials.ts';

const token = newToken();
const basic = (bytes: string | Buffer): string => `Basic ${Buffer.from(bytes).toString('base64')}`;

describe('an Authorization header', () => {
  it('carries a token as Bearer, alone, or as the password of the user name token', () => {
    const expected = { kind: 'token', token };
    expect(decodeAuthorization([bearerHeader(token)])).toEqual(expected);
    expect(decodeAuthorization([tokenHeader(token)])).toEqual(expected);
    // As gem sends its key.
    expect(decodeAuthorization([token])).toEqual(expected);
  });

  it.each(['bearer', 'BEARER', 'bEaReR'])('takes the scheme in any case: %s', (scheme) => {
    expect(decodeAuthorization([`${scheme} ${token}`])).toEqual({ kind: 'token', token });
  });

  it.each([
    ['a colon', 'pass:word:'],
    ['only colons', '::::'],
    ['nothing', ''],
    ['Unicode that has two normal forms', 'e\u0301\u00e9'],
    ['a byte order mark', '\ufeffsecret'],
    ['control characters', 'a\u0000\tb\n'],
    ['spaces at its ends', '  secret  '],
  ])('splits at the first colon and keeps a password with %s as it is', (_, password) => {
    const expected = { kind: 'password', username: 'alice', password };
    expect(decodeAuthorization([accountHeader('alice', password)])).toEqual(expected);
  });

  it('takes a token under another user name for a password', () => {
    const expected = { kind: 'password', username: 'alice', password: token };
    expect(decodeAuthorization([accountHeader('alice', token)])).toEqual(expected);
  });

  const encoded = Buffer.from('alice:password').toString('base64');
  it.each([
    ['no header', []],
    ['an empty header', ['']],
    ['two headers', [bearerHeader(token), bearerHeader(token)]],
    ['a scheme alone', ['Bearer']],
    ['a scheme and a space', ['Bearer ']],
    ['a word alone', ['token']],
    ['a token alone and a space', [`${token} `]],
    ['another scheme', [`Digest ${token}`]],
    ['two spaces', [`Bearer  ${token}`]],
    ['three spaces', [`Bearer   ${token}`]],
    ['a tab', [`Bearer\t${token}`]],
    ['a space before', [` Bearer ${token}`]],
    ['a space after', [`Bearer ${token} `]],
    ['a line break after', [`Bearer ${token}\n`]],
    ['two tokens', [`Bearer ${token} ${token}`]],
    ['two credentials in one line', [`Bearer ${token}, Bearer ${token}`]],
    ['base64 without its padding', [`Basic ${Buffer.from('alice:passwor').toString('base64').replaceAll('=', '')}`]],
    ['base64 with a stray character', [`Basic ${encoded.slice(0, 4)}!${encoded.slice(4)}`]],
    ['base64 of the URL alphabet', [`Basic ${Buffer.from('alice:ÿÿÿ?>').toString('base64url')}`]],
    ['base64 whose last bits are not zero', ['Basic YTpiYh==']],
    ['bytes that are not UTF-8', [basic(Buffer.from([0x61, 0x3a, 0xff, 0xfe]))]],
    ['an overlong UTF-8 sequence', [basic(Buffer.from([0x61, 0x3a, 0xc0, 0xaf]))]],
    ['a surrogate in UTF-8', [basic(Buffer.from([0x61, 0x3a, 0xed, 0xa0, 0x80]))]],
    ['no colon', [basic('alice')]],
    ['a token that is none', [`Bearer ${token.slice(0, -1)}`]],
    ['no token after token:', [basic('token:')]],
    ['a password after token:', [basic('token:password')]],
  ])('is refused with %s', (_, values) => {
    expect(decodeAuthorization(values)).toBeUndefined();
  });
});
