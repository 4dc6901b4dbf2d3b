import { bugsIn, type Mutant } from './mutant.ts';

const creation = 'functions/sessions/create-session';
const renewal = 'functions/sessions/renew-session';

/** Bugs in the sessions of browsers, and in logins with a token. */
export const sessionMutants: readonly Mutant[] = [
  ...bugsIn('functions/sessions/list-sessions.ts', 'functions/sessions/list-sessions', {
    'a token with limits sees the browsers of its user': ['limits && isNarrow(limits)', 'limits?.workspaces?.all'],
  }),
  ...bugsIn('shared/table/identity/sessions.ts', creation, {
    'a session outlives a new password': ['  session.passwordVersion === user.passwordVersion &&\n', ''],
    'a session outlives the end of all tokens': ['  session.tokenGeneration === user.tokenGeneration &&', ''],
    'a session goes on that nobody used': ['  !isPast(idleUntil) &&\n', ''],
    'a session never ends': ['  !isPast(endsAt) &&\n', ''],
    'the password is fresh for ever': [
      'Date.parse(passwordProvenAt) > Date.now() - tokenMilliseconds;',
      'Date.parse(passwordProvenAt) > 0;',
    ],
    'the token of a session lasts an hour': [
      'const tokenMilliseconds = 15 * minuteMilliseconds;',
      'const tokenMilliseconds = 60 * minuteMilliseconds;',
    ],
  }),
  ...bugsIn('shared/table/identity/sessions.ts', renewal, {
    'a session of a disabled user goes on': ['  !user.disabled &&\n', ''],
    'who is enabled again has the old sessions': ['session.sessionGeneration === user.sessionGeneration', 'true'],
  }),
  ...bugsIn('shared/table/identity/session-renewal.ts', renewal, {
    'a cookie that was replaced is good for ever': [
      ' && Date.parse(session.renewedAt) > Date.now() - graceMilliseconds;',
      ';',
    ],
    'two tabs that renew at once end their session': [
      'session.formerTurnHash === hashTurn(turn) &&',
      "session.formerTurnHash === 'none' &&",
    ],
    'a cookie of any turn renews': ['if (session.turnHash !== hashTurn(turn)) return undefined;', ''],
    'a renewal proves the password by itself': [
      'const proof = isProven ? { passwordProvenAt: time } : {};',
      'const proof = { passwordProvenAt: time };',
    ],
  }),
  ...bugsIn('functions/sessions/renew-session.ts', renewal, {
    'a copied cookie leaves the session to both': [
      "  if (renewed === 'copied') await endSession(table, session, 'cookie copied');\n",
      '',
    ],
    'any password is the right one': [
      'if (!(await provesPassword(table, user, body.password, source))) throw wrongPassword();',
      'await provesPassword(table, user, body.password, source);',
    ],
  }),
  ...bugsIn('shared/http/cross-site.ts', renewal, {
    'the page of another site renews a session': ["site !== 'same-origin' || ", ''],
    'a form renews a session': [" || header(consoleHeader.toLowerCase()) !== '1'", ''],
  }),
  ...bugsIn('functions/sessions/delete-current-session.ts', 'functions/sessions/delete-current-session', {
    'a sign-out ends nothing': ["    await endSession(table, found.session, 'signed out');\n", ''],
    'a sign-out leaves the cookie in the browser': ['cookie: removedCookie(baseUrl), ', ''],
    'a sign-out has no author': [
      '    table.author = { actor: userActor(found.user), ...source, operation: deleteCurrentSession.id };\n',
      '',
    ],
  }),
  ...bugsIn('functions/sessions/record.ts', 'functions/sessions/list-sessions', {
    'every session is the one that asks': ['session.sessionId === current?.sessionId', 'current !== null'],
  }),
  ...bugsIn('shared/table/identity/session-renewal.ts', 'races/sign-outs', {
    'a renewal brings back a session that was ended meanwhile': [
      "if: '#turnHash = :seen'",
      "if: '#turnHash = :seen OR attribute_not_exists(#turnHash)'",
    ],
  }),
  ...bugsIn('functions/sessions/delete-session.ts', 'functions/sessions/delete-session', {
    'anybody ends the session of anybody': ['!session || !isLive(session, user)', '!session'],
  }),
  ...bugsIn('shared/auth/session-cookies.ts', '~shared/auth/session-cookies', {
    'pages read the cookie': ["'HttpOnly; SameSite=Strict; Path=/'", "'SameSite=Strict; Path=/'"],
    'the cookie travels without TLS': ["? '; Secure' : ''", "? '' : ''"],
    'other hosts of the domain set the cookie': ["? '__Host-stockroom' : 'stockroom'", "? 'stockroom' : 'stockroom'"],
  }),
  ...bugsIn('shared/door/headers.ts', 'door/robustness', {
    'the door takes away what the console says': ['      name === ofPages ||\n', ''],
  }),
  ...bugsIn('functions/tokens/expiration.ts', creation, {
    'a token that a session made ends with it': ["maker && maker.kind !== 'session' ?", 'maker ?'],
  }),
  ...bugsIn('shared/http/endpoint.ts', ['functions/sessions/create-session', 'functions/trusts/exchange-token'], {
    'who has no actor yet may send a key': [
      'contract.readIdempotencyKey?.(',
      'actorId && contract.readIdempotencyKey?.(',
    ],
  }),
  ...bugsIn('functions/npm/contracts.ts', 'functions/npm/create-npm-token#for one with limits', {
    'npm may not log in with a token that may only read': [
      "// Who sends a token gets it back, and no other one.\n  limitedTokens: 'themselves',",
      '',
    ],
  }),
  ...bugsIn('shared/http/authorization.ts', 'functions/npm/create-npm-token#in the same words', {
    'a login says of a token that its user is disabled': [
      "throw new ApiError('UNAUTHENTICATED', contract.authenticates);",
      "throw new ApiError('UNAUTHENTICATED');",
    ],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'functions/npm/create-npm-token#in the same words', {
    'a login with npm is refused in words about headers': ["'UNAUTHENTICATED', authenticates", "'UNAUTHENTICATED'"],
  }),
  ...bugsIn('functions/npm/create-npm-token.ts', 'functions/npm/create-npm-token#for one with limits', {
    'npm gets a token without limits for one with them': [
      "if (credential?.kind === 'token') return answer(credential.token);",
      '',
    ],
  }),
];
