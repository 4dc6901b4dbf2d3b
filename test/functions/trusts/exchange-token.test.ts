import { constants, createHmac, sign } from 'node:crypto';
import { deleteRepository, getRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import { createPersonalAccessToken } from '../../../functions/tokens/contracts.ts';
import { exchangeToken, getTrust, updateTrust } from '../../../functions/trusts/contracts.ts';
import { publishUniversalFile } from '../../../functions/universal/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { deleteWorkspaceByReference } from '../../../functions/workspaces/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import { bearerHeader, tokenHeader } from '../../harness/credentials.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { shareOf } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';
import { encoded, type IssuerKey, jwtOf, newIssuerKey, trustOf, useIssuer } from '../../harness/trusts.ts';
import { trickling } from '../../harness/upstream.ts';

const service = useService();
const issuer = useIssuer();
let fixture: Fixture;
let trust: string;

const newTrust = async (fields: Parameters<typeof trustOf>[1] = {}) =>
  trustOf(fixture, {
    issuer: issuer.url,
    repositories: [
      { repositoryReference: fixture.repository.id, repositoryPermissionLevel: 'canView' },
      { repositoryReference: fixture.universal.id, repositoryPermissionLevel: 'canDeploy' },
    ],
    ...fields,
  });

beforeAll(async () => {
  fixture = await buildFixture(service);
  trust = (await newTrust()).id;
});

const exchange = (token: string, of = trust) =>
  service.client.attempt(exchangeToken, { body: { trust: of, subject_token: token } });
const newShortToken = async (of = trust): Promise<string> =>
  (await service.client.succeed(exchangeToken, { body: { trust: of, subject_token: issuer.token() } })).access_token;

interface RefusalLine {
  readonly message: string;
  readonly requestId: string;
  readonly reason: string;
  readonly detail: string;
}

/** The line of the log about a refused exchange. */
const lineOf = ({ headers }: Answer): RefusalLine | undefined =>
  service.logs
    .filter((line) => line.includes('exchange refused'))
    .map((line) => JSON.parse(line) as RefusalLine)
    .find(({ requestId }) => requestId === headers['x-request-id']);

const inRepository = (repository: string) => ({ workspace: fixture.workspace.id, repository });
const see = (as: string, repository = fixture.repository.id) =>
  service.client.attempt(getRepository, { params: inRepository(repository), as });

describe('An exchange', () => {
  it('of an identity token that meets the trust gives a token with what the trust grants, and with nothing else', async () => {
    const { result, status } = await exchange(issuer.token());
    expect([status, result]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^str_tst_[0-9A-Za-z]{49}$/),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 3600,
        expiresAt: expect.any(String),
      },
    ]);
    const token = result?.access_token ?? '';
    for (const as of [bearerHeader(token), tokenHeader(token)]) {
      const params = { workspace: fixture.workspace.id };
      const visible = await service.client.succeed(listRepositories, { params, as });
      expect(visible.map(({ id }) => id).toSorted()).toEqual([fixture.repository.id, fixture.universal.id].toSorted());
      const publish = (repository: string) =>
        service.client.attempt(publishUniversalFile, {
          params: { ...inRepository(repository), path: `a/${Math.random()}/f` },
          bytes: { content: 'x', mediaType: 'application/octet-stream' },
          as,
        });
      expect((await publish(fixture.universal.id)).status).toBe(201);
      expect((await publish(fixture.repository.id)).code).toBe('FORBIDDEN');
      expect((await service.client.attempt(getCurrentUser, { as })).code).toBe('FORBIDDEN');
      expect((await service.client.attempt(createPersonalAccessToken, { body: { name: 'x' }, as })).code).toBe(
        'FORBIDDEN',
      );
      expect(
        (await service.client.attempt(deleteRepository, { params: inRepository(fixture.universal.id), as })).code,
      ).toBe('FORBIDDEN');
      expect((await service.client.attempt(getRepository, { params: inRepository('elsewhere'), as })).status).toBe(404);
    }
  });

  it('is named in the log of what the token does, by its trust', async () => {
    const { headers } = await see(bearerHeader(await newShortToken()));
    const line = service.logs.find(
      (each) => each.includes(String(headers['x-request-id'])) && each.includes('"principalId"'),
    );
    expect(JSON.parse(line ?? '{}')).toMatchObject({ principalId: trust });
  });

  it('takes the form of RFC 8693, with the trust as its audience', async () => {
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: trust,
      subject_token: issuer.token(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    });
    const written = body.toString();
    const form = (content: string) =>
      service.client.attempt(exchangeToken, {
        bytes: { content, mediaType: 'application/x-www-form-urlencoded' },
      });
    expect((await form(written)).status).toBe(200);
    expect((await form(`${written}&audience=${trust}`)).code).toBe('BODY_MALFORMED');
    expect((await form(`${written}&trust=${trust}`)).code).toBe('REQUEST_INVALID');
    // RFC 6749, section 3.2: without a value is omitted, and unknown is ignored.
    const ignored = 'trust=&requested_token_type=&scope=a+b&client_id=&resource=x&resource=y&__proto__=1&toString=2';
    expect((await form(`${ignored}&${written}&audience=`)).status).toBe(200);
    expect((await form(written.replace(/subject_token=[^&]*/, 'subject_token='))).code).toBe('REQUEST_INVALID');
    const inJson = { trust, subject_token: issuer.token() };
    for (const others of [{ scope: '' }, { audience: '' }]) {
      const { code } = await service.client.attempt(exchangeToken, { body: { ...inJson, ...others } });
      expect(code).toBe('REQUEST_INVALID');
    }
    expect((await form(written.replace('token-exchange', 'password'))).code).toBe('REQUEST_INVALID');
  });

  it('takes RS256 as well, an issuer with more claims than anybody knows, and the audience in a list of one', async () => {
    const rsa = issuer.keys[1];
    expect((await exchange(issuer.token({}, rsa))).status).toBe(200);
    const claims = { __proto__: null, extra: { a: ['b'] }, groups: ['x'], 'a/b:c': 1, aud: [issuer.claims().aud] };
    expect((await exchange(issuer.token(claims))).status).toBe(200);
  });

  it('asks the issuer for its keys once, and once more when it has new ones', async () => {
    await exchange(issuer.token());
    issuer.server.requests.length = 0;
    await exchange(issuer.token());
    expect(issuer.server.requests).toHaveLength(0);
  });

  it('is noted at its trust with the hour, once an hour, also when several meet', async () => {
    const { id, lastUsedAt } = await newTrust();
    expect(lastUsedAt).toBeNull();
    service.proxy.conflictsLikeDynamoDb = true;
    await Promise.all([newShortToken(id), newShortToken(id), newShortToken(id)]);
    const params = { workspace: fixture.workspace.id, trust: id };
    const used = await service.client.succeed(getTrust, { params, as: fixture.systemAdmin.bearer });
    expect(used.lastUsedAt).toBe(`${new Date().toISOString().slice(0, 13)}:00:00.000Z`);
    service.proxy.forget();
    await newShortToken(id);
    expect(service.proxy.writes.flatMap(({ keys }) => keys).filter((key) => key.startsWith('TRUST#'))).toEqual([]);
  });

  itAnswers('400 REQUEST_INVALID for an Idempotency-Key, because the answer has a secret', async () =>
    service.client.attempt(exchangeToken, {
      body: { trust, subject_token: 'none' },
      headers: { 'Idempotency-Key': 'one' },
    }),
  );

  itAnswers('401 EXCHANGE_REFUSED when the workspace is deleted', async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace);
    const { id } = await trustOf({ ...fixture, workspace, repository }, { issuer: issuer.url });
    const as = fixture.systemAdmin.bearer;
    await service.client.succeed(deleteRepository, {
      params: { workspace: workspace.id, repository: repository.id },
      as,
    });
    await service.client.succeed(deleteWorkspaceByReference, { params: { workspace: workspace.id }, as });
    return exchange(issuer.token(), id);
  });
});

const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;

/** HS256 with the published key as the secret: for a verifier that believes the header. */
const hmacToken = (key: IssuerKey): string => {
  const text = `${encoded({ alg: 'HS256', typ: 'JWT', kid: key.kid })}.${encoded(issuer.claims())}`;
  const secret = key.publicKey.export({ format: 'pem', type: 'spki' });
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

/** PS256, the other padding of RSA, which the keys of an issuer could verify. */
const pssToken = (key: IssuerKey, alg = 'PS256'): string => {
  const text = `${encoded({ alg, typ: 'JWT', kid: key.kid })}.${encoded(issuer.claims())}`;
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const signature = sign('sha256', Buffer.from(text), { key: key.privateKey, padding, saltLength: 32 });
  return `${text}.${signature.toString('base64url')}`;
};

const foreign = newIssuerKey();
const [own, ofRsa] = issuer.keys as [IssuerKey, IssuerKey];

/** Tokens that prove nothing, with the reason in the log. */
const worthless: Readonly<Record<string, readonly [token: () => string, reason: string]>> = {
  'no JWT at all': [() => 'nonsense', 'malformed'],
  'one with two parts': [() => issuer.token().split('.').slice(0, 2).join('.'), 'malformed'],
  'one whose payload is no JSON': [() => jwtOf(own, {}).replace(/\.[^.]*\./, '.bm9wZQ.'), 'signature'],
  'one without a signature (alg: none)': [
    () => `${encoded({ alg: 'none' })}.${encoded(issuer.claims())}.`,
    'algorithm',
  ],
  'one signed by HS256 with the public key': [() => hmacToken(own), 'algorithm'],
  'one of another algorithm than it says': [() => jwtOf(own, issuer.claims(), { alg: 'RS256' }), 'key'],
  'one of an algorithm that is not accepted': [() => jwtOf(own, issuer.claims(), { alg: 'ES384' }), 'algorithm'],
  'one signed by PS256 with the own key': [() => pssToken(ofRsa), 'algorithm'],
  'one that is said to be RS256 and is signed by PS256': [() => pssToken(ofRsa, 'RS256'), 'signature'],
  'one of a foreign key, under an ID of its own': [() => issuer.token({}, foreign), 'key'],
  'one that embeds the foreign key under the ID of the issuer': [
    () => issuer.token({}, { ...foreign, kid: own.kid }, { jwk: foreign.publicKey.export({ format: 'jwk' }) }),
    'signature',
  ],
  'one that names a set of keys which has its own': [
    () =>
      issuer.token({}, { ...foreign, kid: own.kid }, { jku: `${issuer.url}/foreign`, x5u: `${issuer.url}/foreign` }),
    'signature',
  ],
  'one with a critical extension': [() => issuer.token({}, own, { crit: ['b64'], b64: false }), 'malformed'],
  'one with an unknown key ID': [() => issuer.token({}, own, { kid: 'unknown' }), 'key'],
  'one with the key ID of the issuer and the key of somebody else': [
    () => issuer.token({}, { ...foreign, kid: own.kid }),
    'signature',
  ],
  'one that brings its own key': [
    () => issuer.token({}, foreign, { jwk: foreign.publicKey.export({ format: 'jwk' }), jku: 'https://evil.example' }),
    'key',
  ],
  'one with other claims than were signed': [
    () => {
      const [header, , signature] = issuer.token().split('.');
      return [header, encoded(issuer.claims({ repository_id: '1' })), signature].join('.');
    },
    'signature',
  ],
  'an expired one': [() => issuer.token({ exp: seconds(-31) }), 'time'],
  'one without an end': [() => issuer.token({ exp: undefined }), 'time'],
  'one that is not valid yet': [() => issuer.token({ nbf: seconds(60) }), 'time'],
  'one from the future': [() => issuer.token({ iat: seconds(60) }), 'time'],
  'one from the day before yesterday': [() => issuer.token({ iat: seconds(-2 * 86_400) }), 'time'],
  'one with a text for a time': [() => issuer.token({ exp: '9999999999' }), 'time'],
  'one for another audience': [() => issuer.token({ aud: 'https://other.example' }), 'audience'],
  'one for another audience, too': [
    () => issuer.token({ aud: [issuer.claims().aud, 'https://other.example'] }),
    'audience',
  ],
  'one of another issuer with the same keys': [() => issuer.token({ iss: 'https://other.example' }), 'issuer-claim'],
  'one of the issuer with a slash': [() => issuer.token({ iss: `${issuer.url}/` }), 'issuer-claim'],
  'one without the claim of a condition': [() => issuer.token({ repository_id: undefined }), 'conditions'],
  'one with another value in it': [() => issuer.token({ repository_id: '1234567890' }), 'conditions'],
  'one with a list of values in it': [() => issuer.token({ repository_id: ['123456789'] }), 'conditions'],
  'one of a pull request': [() => issuer.token({ event_name: 'pull_request_target' }), 'conditions'],
  'one of 64 kB': [() => issuer.token({ extra: 'x'.repeat(47_500) }), 'malformed'],
};

/** The bytes of a refusal, without the ID of the request. */
const shown = ({ status, text, headers }: Answer): string =>
  JSON.stringify([status, text.replaceAll(String(headers['x-request-id']), ''), Object.keys(headers).toSorted()]);

describe('An identity token that proves nothing', () => {
  const unknownTrust = '00000000-0000-4000-8000-000000000000';

  it.each(shareOf(Object.entries(worthless), 2))(
    '%s gets the same 401 as every other, and the log has the reason',
    async (_, [token, reason]) => {
      await exchange(issuer.token());
      const jwt = token();
      const answer = await exchange(jwt);
      expect(answer.code).toBe('EXCHANGE_REFUSED');
      expect(shown(answer)).toBe(shown(await exchange(issuer.token(), unknownTrust)));
      expect(lineOf(answer)).toMatchObject({ reason, detail: expect.stringMatching(/\.$/) });
      // Nothing of the token is in any log.
      const parts = jwt.split('.').filter((part) => part.length > 20);
      expect(service.logs.filter((line) => parts.some((part) => line.includes(part)))).toEqual([]);
    },
  );

  it('asks no address that a token names', async () => {
    const named = { jku: `${issuer.url}/named`, x5u: `${issuer.url}/named`, iss: `${issuer.url}/named` };
    expect((await exchange(issuer.token({}, { ...foreign, kid: own.kid }, named))).status).toBe(401);
    expect(issuer.server.requests.map(({ url }) => url)).not.toContain('/named');
  });

  it('writes nothing', async () => {
    service.proxy.forget();
    await exchange(issuer.token({ aud: 'https://other.example' }));
    expect(service.proxy.writes).toEqual([]);
  });
});

describe('An issuer', () => {
  /** Each test needs an issuer that no process knows: the loopback has many addresses. */
  const freshTrust = async (path: string): Promise<[trust: string, url: string]> => {
    const url = `${issuer.url}/${path}`;
    return [(await newTrust({ issuer: url })).id, url];
  };

  const answers = (path: string, discovery: unknown, keys?: unknown) => {
    issuer.server.answer = issuer.answering({
      [`/${path}/.well-known/openid-configuration`]: (_request, response) =>
        void response.end(typeof discovery === 'string' ? discovery : JSON.stringify(discovery)),
      [`/${path}/keys`]: (_request, response) =>
        void response.end(JSON.stringify(keys ?? { keys: issuer.keys.map((key) => issuer.published(key)) })),
    });
  };

  it('that changes its keys is asked again once, and old keys are of no worth then', async () => {
    const path = 'rotating';
    const [of, url] = await freshTrust(path);
    const discovery = { issuer: url, jwks_uri: `${url}/keys` };
    answers(path, discovery);
    const token = () => issuer.token({ iss: url });
    const old = token();
    expect((await exchange(old, of)).status).toBe(200);
    const before = [...issuer.keys];
    issuer.rotate();
    answers(path, discovery);
    issuer.server.requests.length = 0;
    expect((await exchange(token(), of)).status).toBe(200);
    expect(issuer.server.requests.map(({ url: at }) => at)).toEqual([
      `/${path}/.well-known/openid-configuration`,
      `/${path}/keys`,
    ]);
    // A flood of unknown keys asks no more.
    expect(lineOf(await exchange(old, of))?.reason).toBe('key');
    for (let count = 0; count < 5; count += 1)
      await exchange(issuer.token({ iss: url }, own, { kid: `k${count}` }), of);
    expect(issuer.server.requests).toHaveLength(2);
    issuer.keys = before;
  });

  const bad: Readonly<Record<string, (path: string, url: string) => void>> = {
    'names another issuer': (path) =>
      answers(path, { issuer: 'https://other.example', jwks_uri: `${issuer.url}/keys` }),
    'names no keys': (path, url) => answers(path, { issuer: url }),
    'names keys at a private address': (path, url) => answers(path, { issuer: url, jwks_uri: 'http://10.0.0.1/keys' }),
    'names keys at the metadata of the machine': (path, url) =>
      answers(path, { issuer: url, jwks_uri: 'http://169.254.169.254/latest/meta-data' }),
    'names keys at another port': (path, url) => answers(path, { issuer: url, jwks_uri: 'http://127.0.0.1:1/keys' }),
    'names keys in a file': (path, url) => answers(path, { issuer: url, jwks_uri: 'file:///etc/passwd' }),
    'answers with no JSON': (path) => answers(path, '<html>'),
    'has keys of another form': (path, url) => answers(path, { issuer: url, jwks_uri: `${url}/keys` }, ['key']),
    'has a key that is too short': (path, url) => {
      const weak = { ...newIssuerKey('RS256', 1024), kid: own.kid };
      answers(path, { issuer: url, jwks_uri: `${url}/keys` }, { keys: [issuer.published(weak)] });
    },
    'redirects to the right document': (path, url) => {
      issuer.server.answer = issuer.answering({
        [`/${path}/.well-known/openid-configuration`]: (_request, response) =>
          void response.writeHead(302, { Location: `${issuer.url}/moved` }).end(),
        '/moved': (_request, response) =>
          void response.end(JSON.stringify({ issuer: url, jwks_uri: `${issuer.url}/keys` })),
      });
    },
    'refuses to answer': (path) => {
      issuer.server.answer = issuer.answering({
        [`/${path}/.well-known/openid-configuration`]: (_request, response) => void response.writeHead(503).end(),
      });
    },
    'breaks off': (path) => {
      issuer.server.answer = issuer.answering({
        [`/${path}/.well-known/openid-configuration`]: (request) => void request.socket.destroy(),
      });
    },
    'never answers': () => {
      issuer.server.answer = () => undefined;
    },
    'answers without an end': (path) => {
      issuer.server.answer = issuer.answering({
        [`/${path}/.well-known/openid-configuration`]: trickling(60_000),
      });
    },
    'answers with megabytes': (path, url) =>
      answers(path, { issuer: url, jwks_uri: `${url}/keys`, padding: 'x'.repeat(3_000_000) }),
  };

  it.each(shareOf(Object.entries(bad), 2))(
    'that %s gets the same 401, in time, and the reason is in the log',
    async (name, misbehave) => {
      const path = name.replaceAll(' ', '-');
      const [of, url] = await freshTrust(path);
      misbehave(path, url);
      const startedAt = performance.now();
      const answer = await exchange(jwtOf(own, issuer.claims({ iss: url })), of);
      expect(performance.now() - startedAt).toBeLessThan(7_000);
      expect([answer.code, lineOf(answer)?.reason]).toEqual([
        'EXCHANGE_REFUSED',
        name === 'has a key that is too short' ? expect.stringMatching(/^(?:key|signature)$/) : 'issuer',
      ]);
      expect(lineOf(answer)?.detail).toMatch(/\.$/);
      issuer.server.hangUp();
    },
  );

  it('that failed is not asked again at once', async () => {
    const [of, url] = await freshTrust('absent');
    const jwt = jwtOf(own, issuer.claims({ iss: url }));
    await exchange(jwt, of);
    issuer.server.requests.length = 0;
    for (let count = 0; count < 3; count += 1) expect((await exchange(jwt, of)).status).toBe(401);
    expect(issuer.server.requests).toHaveLength(0);
  });
});

describe('A token of a trust', () => {
  it('loses at the next request what the trust loses, also where its credential was just proven', async () => {
    const { id } = await newTrust();
    const as = bearerHeader(await newShortToken(id));
    const change = (body: object) =>
      service.client.attempt(updateTrust, {
        params: { workspace: fixture.workspace.id, trust: id },
        body,
        as: fixture.systemAdmin.bearer,
      });
    expect((await see(as)).status).toBe(200);
    await change({
      repositories: [{ repositoryReference: fixture.universal.id, repositoryPermissionLevel: 'canView' }],
    });
    expect((await see(as)).code).toBe('REPOSITORY_NOT_FOUND');
    expect((await see(as, fixture.universal.id)).status).toBe(200);
    await change({ conditions: [{ claim: 'repository_id', equals: '2' }] });
    expect((await see(as, fixture.universal.id)).code).toBe('UNAUTHENTICATED');
  });

  it.each([{ audience: 'https://other.example' }, { lifetimeSeconds: 60 }, { allowsPullRequests: true }])(
    'ends when what it had to meet changes: %j',
    async (change) => {
      const { id } = await newTrust();
      const as = bearerHeader(await newShortToken(id));
      expect((await see(as)).status).toBe(200);
      const params = { workspace: fixture.workspace.id, trust: id };
      await service.client.succeed(updateTrust, { params, body: change, as: fixture.systemAdmin.bearer });
      expect((await see(as)).code).toBe('UNAUTHENTICATED');
    },
  );

  it('costs one read of the table for each request, once its credential and the names are known', async () => {
    const as = bearerHeader(await newShortToken());
    await see(as);
    service.proxy.forget();
    await see(as);
    expect(service.proxy.calls.filter(({ functionId }) => functionId === getRepository.id)).toHaveLength(1);
  });
});
