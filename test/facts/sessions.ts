import { everybody, systemAdmins } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import { pageHeaders, signIn } from './browser-sessions.ts';

/** A new session each time, because a cookie is good for one renewal. */
const withCookie: Make = async ({ client, targetUser }) => {
  const { cookie } = await signIn(client, targetUser);
  return { headers: pageHeaders(cookie) };
};

export const sessions: FactsOf<'sessions'> = {
  'sessions/create-session': {
    answers: everybody('201'),
    cost: 'sign-in',
    request: async ({ targetUser: { username, password } }) => ({ body: { username, password } }),
    // No recording has the password of a user.
    released: 'about what no release has stored',
  },
  'sessions/renew-session': {
    answers: everybody('200'),
    cost: 'change by a cookie',
    request: async (fixture) => ({ ...(await withCookie(fixture)), body: {} }),
    otherWays: [
      async (fixture) => ({ ...(await withCookie(fixture)), body: { password: fixture.targetUser.password } }),
    ],
    released: 'about what no release has stored',
    // No document can have the cookie of a session.
    examples: [],
  },
  'sessions/delete-current-session': {
    answers: everybody('200'),
    cost: 'change by a cookie',
    request: withCookie,
    released: 'about what no release has stored',
    examples: [],
  },
  'sessions/list-sessions': {
    answers: systemAdmins('200'),
    cost: 'own page',
    request: async ({ client, targetUser }) => {
      await signIn(client, targetUser);
      return {};
    },
    released: ({ actors: { viewer } }) => ({ params: { user: viewer.username }, expected: [] }),
  },
  'sessions/delete-session': {
    answers: systemAdmins('200'),
    cost: 'change',
    request: async ({ client, targetUser }) => ({
      params: { session: (await signIn(client, targetUser)).sessionId },
    }),
    released: 'about what no release has stored',
    // Only a sign-in makes a session, and its ID is of no use to the other examples.
    examples: [],
  },
};
