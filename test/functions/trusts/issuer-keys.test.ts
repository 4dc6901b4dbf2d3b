import { type FetchDocument, IssuerKeys } from '../../../functions/trusts/issuer-keys.ts';

const issuer = 'https://id.example.com';
const minute = 60_000;

/** An issuer whose answers are counted, and a clock. */
const counted = () => {
  const state = { now: 1_000_000, asked: 0, fails: false };
  const fetch: FetchDocument = async (url) => {
    state.asked += 1;
    if (state.fails) throw new Error('down');
    return url.endsWith('/openid-configuration') ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [] };
  };
  return { state, keys: new IssuerKeys(fetch, () => state.now) };
};

describe('The keys of an issuer', () => {
  it('are fetched once for all who wait, and kept for ten minutes', async () => {
    const { state, keys } = counted();
    await Promise.all([1, 2, 3].map(() => keys.of(issuer)));
    expect(state.asked).toBe(2);
    state.now += 10 * minute - 1;
    await keys.of(issuer);
    expect(state.asked).toBe(2);
    state.now += 1;
    await keys.of(issuer);
    expect(state.asked).toBe(4);
  });

  it('are fetched again for an unknown key at once, and then once in ten seconds', async () => {
    const { state, keys } = counted();
    await keys.of(issuer);
    expect(await keys.refreshed(issuer)).toBeDefined();
    expect(await keys.refreshed(issuer)).toBeUndefined();
    state.now += 10_000;
    expect(await keys.refreshed(issuer)).toBeDefined();
    expect(state.asked).toBe(6);
  });

  it('are not asked for in the ten seconds after a failure, and those that are known stay', async () => {
    const { state, keys } = counted();
    state.fails = true;
    await expect(keys.of(issuer)).rejects.toThrow('down');
    state.fails = false;
    await expect(keys.of(issuer)).rejects.toThrow('down');
    expect(state.asked).toBe(1);
    state.now += 10_000;
    await keys.of(issuer);
    state.fails = true;
    await expect(keys.refreshed(issuer)).rejects.toThrow('down');
    expect(await keys.of(issuer)).toBeDefined();
  });
});
