import { hashPassword, isOutdated, verifyPassword } from '../../../shared/auth/passwords.ts';

const userId = '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11';

describe('a password', () => {
  it('is stored as an argon2id PHC string with 19 MiB, two passes and one lane', async () => {
    expect(await hashPassword('a password')).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
  });

  it('has another hash each time', async () => {
    expect(await hashPassword('a password')).not.toBe(await hashPassword('a password'));
  });

  it('verifies the reference vector of another implementation', async () => {
    // From the test suite of the reference implementation in C (P-H-C/phc-winner-argon2, src/test.c).
    const passwordHash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    expect(await verifyPassword({ userId, passwordHash }, 'password')).toBe(true);
    expect(await verifyPassword({ userId, passwordHash }, 'Password')).toBe(false);
  });

  it.each([
    'correct horse',
    'pässwörd',
    '密码密码密码密码',
    ' spaces ',
    'a\u0000b',
    '👩‍👩‍👧‍👦'.repeat(10),
    'x'.repeat(400),
  ])('matches exactly: %j', async (password) => {
    const owner = { userId, passwordHash: await hashPassword(password) };
    expect(await verifyPassword(owner, password)).toBe(true);
    expect(await verifyPassword(owner, `${password} `)).toBe(false);
    expect(await verifyPassword(owner, password.slice(0, -1))).toBe(false);
  });

  it('is not folded by normal forms of Unicode', async () => {
    const owner = { userId, passwordHash: await hashPassword('caf\u00e9 noir') };
    expect(await verifyPassword(owner, 'cafe\u0301 noir')).toBe(false);
  });

  it('never matches for nobody', async () => {
    expect(await verifyPassword(undefined, '')).toBe(false);
    expect(await verifyPassword(undefined, 'a password')).toBe(false);
  });

  it('costs a hash for nobody, too, so that the time does not tell who is there', async () => {
    const passwordHash = await hashPassword('a password');
    const quickest = async (owner: Parameters<typeof verifyPassword>[0]): Promise<number> => {
      const times: number[] = [];
      for (const password of ['wrong one', 'wrong two', 'wrong three']) {
        const start = performance.now();
        await verifyPassword(owner, password);
        times.push(performance.now() - start);
      }
      return Math.min(...times);
    };
    expect(await quickest(undefined)).toBeGreaterThan((await quickest({ userId, passwordHash })) / 4);
  });

  it('that was proven counts for its user and stored hash only', async () => {
    const [first, second] = await Promise.all([hashPassword('first word'), hashPassword('second word')]);
    expect(await verifyPassword({ userId, passwordHash: first }, 'first word')).toBe(true);
    expect(await verifyPassword({ userId, passwordHash: first }, 'first word')).toBe(true);
    expect(await verifyPassword({ userId, passwordHash: second }, 'first word')).toBe(false);
    expect(await verifyPassword({ userId, passwordHash: first }, 'second word')).toBe(false);
  });

  it('is outdated when its hash was made with other parameters', async () => {
    const hash = await hashPassword('a password');
    expect(isOutdated(hash)).toBe(false);
    expect(isOutdated(hash.replace('m=19456', 'm=4096'))).toBe(true);
    expect(isOutdated(hash.replace('t=2', 't=1'))).toBe(true);
  });
});
