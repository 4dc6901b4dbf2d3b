import { contract } from '../../shared/http/contract.ts';
import { deleted, id, pageParameters, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { passwordLength } from '../../shared/limits.ts';

const username = schema({ type: 'string', minLength: 1, maxLength: 100, examples: ['build-bot'] });

const password = schema({
  type: 'string',
  format: 'password',
  minLength: 1,
  maxLength: passwordLength.max,
  writeOnly: true,
  examples: ['correct horse battery staple'],
});

/** What a session shows of itself. */
const sessionFields = {
  id,
  createdAt: timestamp,
  renewedAt: schema({ ...timestamp, description: 'When its page got the present cookie.' }),
  idleUntil: schema({
    ...timestamp,
    description: 'When it ends if nobody uses it before: twelve hours after the renewal.',
  }),
  endsAt: schema({ ...timestamp, description: 'When it ends in any case: thirty days after it began.' }),
  passwordProvenUntil: schema({
    ...timestamp,
    description:
      'Until when it may make tokens and trusts and change passwords: fifteen minutes after the password was sent.',
  }),
  sourceAddress: schema({ type: 'string', description: 'Where it began.', examples: ['192.0.2.7'] }),
  userAgent: schema({
    type: 'string',
    description: 'What the browser said of itself.',
    examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  }),
} as const;

const sessionSchema = {
  ...object({
    ...sessionFields,
    isCurrent: schema({ type: 'boolean', description: 'Whether this request belongs to it.', examples: [true] }),
  }),
  title: 'Session',
} as const;

const signedIn = object({
  id,
  userId: schema({ ...id, description: 'Whose session it is: another tab may have begun one of somebody else.' }),
  token: schema({
    type: 'string',
    description: 'For the `Authorization` header, as `Bearer <token>`. A page keeps it in its memory and nowhere else.',
    examples: [`str_ses_${'0'.repeat(49)}`],
  }),
  expiresAt: schema({ ...timestamp, description: 'When the token expires: in fifteen minutes.' }),
  session: object(sessionFields),
});

export const createSession = contract({
  id: 'sessions/create-session',
  method: 'POST',
  path: '/1/sessions',
  summary: 'Sign in to the console',
  description:
    'For the page of the console: everything else sends a token or a password with each request. The cookie of the answer can do nothing but renew the token and end the session. Wrong passwords count as everywhere.',
  access: 'public',
  request: {
    kind: 'json',
    body: object({ username, password }),
    example: { username: 'build-bot', password: 'correct horse battery staple' },
  },
  answer: {
    kind: 'json',
    success: 201,
    result: signedIn,
    setsCookie: true,
  },
  checksPasswords: true,
  idempotencyKey: 'refused',
  errors: ['SIGN_IN_REFUSED'],
  table: ['BatchGetItem', 'PutItem', 'UpdateItem'],
});

export const renewSession = contract({
  id: 'sessions/renew-session',
  method: 'POST',
  path: '/1/sessions/renew',
  summary: 'Renew the token of a session',
  description:
    'Each renewal replaces the cookie. A cookie that was replaced more than ten seconds ago ends the session: somebody has a copy of it. With the password, the session may make tokens and trusts and change passwords for fifteen minutes more.',
  access: 'public',
  readsCookie: true,
  request: { kind: 'json', body: object({ password }, ['password']) },
  answer: { kind: 'json', success: 200, result: signedIn, setsCookie: true },
  checksPasswords: true,
  idempotencyKey: 'refused',
  errors: ['SESSION_ENDED'],
  table: ['BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
});

export const deleteCurrentSession = contract({
  id: 'sessions/delete-current-session',
  method: 'DELETE',
  path: '/1/sessions',
  summary: 'Sign out of the console',
  description:
    'Ends the session of the cookie, if there is one, and removes the cookie. The next request with a token of the session is refused.',
  access: 'public',
  readsCookie: true,
  answer: { kind: 'json', success: 200, result: object({ status: deleted }), setsCookie: true },
  errors: [],
  table: ['BatchGetItem', 'PutItem', 'DeleteItem'],
});

export const listSessions = contract({
  id: 'sessions/list-sessions',
  method: 'GET',
  path: '/1/users/{user}/sessions',
  summary: 'List the sessions of a user',
  description:
    'The browsers that are signed in to the console, ordered by when they were. The path also takes `me`. A token with any limit but `readOnly` gets an empty list.',
  access: 'oneself',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: sessionSchema },
  errors: ['USER_NOT_FOUND'],
  table: ['Query'],
});

export const deleteSession = contract({
  id: 'sessions/delete-session',
  method: 'DELETE',
  path: '/1/users/{user}/sessions/{session}',
  summary: 'End a session of a user',
  description: 'The next request with a token of the session is refused. The path also takes `me`.',
  access: 'oneself',
  answer: { kind: 'json', success: 200, result: object({ sessionId: id, status: deleted }) },
  errors: ['USER_NOT_FOUND', 'SESSION_NOT_FOUND'],
  table: ['PutItem', 'DeleteItem'],
});
