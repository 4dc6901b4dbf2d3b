import {
  newSessionCookie,
  newTurnSeed,
  removedCookie,
  sessionCookieIn,
  storedCookie,
  turnAfter,
} from '../../../shared/auth/session-cookies.ts';

const deployed = 'https://stockroom.example/api';
const local = 'http://127.0.0.1:3000';

describe('The cookie of a session', () => {
  it('over HTTPS is Secure, and no other host of the domain can set it', () => {
    expect(storedCookie(deployed, newSessionCookie(), 60)).toMatch(
      /^__Host-stockroom=str_cke_[0-9A-Za-z]{49}\.[0-9A-Za-z]{43}; Max-Age=60; HttpOnly; SameSite=Strict; Path=\/; Secure$/,
    );
  });

  it.each([deployed, local])('is read as it was stored at %s', (baseUrl) => {
    const cookie = newSessionCookie();
    const [pair = ''] = storedCookie(baseUrl, cookie, 60).split(';');
    expect(sessionCookieIn(`a=1; ${pair};b=2`, baseUrl)).toEqual(cookie);
    expect(sessionCookieIn(`${pair}; ${pair}`, baseUrl)).toBeUndefined();
    expect(sessionCookieIn(pair.slice(0, -1), baseUrl)).toBeUndefined();
    expect(sessionCookieIn(removedCookie(baseUrl), baseUrl)).toBeUndefined();
    expect(sessionCookieIn(undefined, baseUrl)).toBeUndefined();
  });

  it('that another host of the domain may have set is not read over HTTPS', () => {
    const [pair] = storedCookie(local, newSessionCookie(), 60).split(';');
    expect(sessionCookieIn(pair, deployed)).toBeUndefined();
  });

  it('has the same next turn whenever it is made of the same seed, and another one of another', () => {
    const { turn } = newSessionCookie();
    const [seed, other] = [newTurnSeed(), newTurnSeed()];
    expect(turnAfter(turn, seed)).toBe(turnAfter(turn, seed));
    expect(new Set([turn, turnAfter(turn, seed), turnAfter(turn, other)]).size).toBe(3);
  });
});
