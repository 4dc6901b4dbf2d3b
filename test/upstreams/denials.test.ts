import { gzipSync } from 'node:zlib';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { upstreamPauseKey } from '../../shared/table/packages/package-keys.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { refusing, serving, useUpstream } from '../harness/upstream.ts';
import { type Actor, type Named, newPassword, uniqueName } from '../harness/world.ts';

const service = useService();
const upstream = useUpstream();
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, workspace, { remoteRepositoryUrl: upstream.url, ...fields });

const ask = async (repository: Named, path = uniqueName('package')) =>
  service.client.sendTo(getNpmDocument, {
    path: `/npm/${workspace.name}/${repository.name}/${path}`,
    headers: [['Authorization', admin.bearer]],
  });

const sentenceOf = async (repository: Named): Promise<string | undefined> => {
  const { code, problem } = await ask(repository);
  expect(code).toBe('UPSTREAM_FAILED');
  return problem?.detail.replace(`${upstream.host} `, '');
};

/** Answers with a denial and its page. */
const denying =
  (status: number, page: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): typeof upstream.answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(page);

const json = { 'Content-Type': 'application/json' };
const text = { 'Content-Type': 'text/plain; charset=utf-8' };

describe('A denial of an upstream', () => {
  it.each([
    [401, 'demands credentials, and this repository has none'],
    [403, 'forbids this, and this repository has no credentials for it'],
  ])('by %i to a repository without credentials is not called a refusal of credentials', async (status, sentence) => {
    upstream.answer = refusing(status);
    expect(await sentenceOf(await remote())).toBe(`${sentence} (HTTP ${status}).`);
  });

  it.each([
    [401, 'does not accept the credentials of this repository'],
    [403, 'forbids this to the credentials of this repository'],
  ])('by %i to a repository with credentials is', async (status, sentence) => {
    upstream.answer = refusing(status);
    const repository = await remote({ remoteRepositoryUsername: 'ci', remoteRepositoryPassword: newPassword() });
    expect(await sentenceOf(repository)).toBe(`${sentence} (HTTP ${status}).`);
  });

  it.each([
    [401, 'demands credentials, and those of this repository are not sent to it'],
    [403, 'forbids this, and the credentials of this repository are not sent to it'],
  ])('by %i of another host, which has no public name, says that it gets no credentials', async (status, sentence) => {
    const { port } = new URL(upstream.url);
    upstream.answer = (request, response) =>
      (request.headers.host?.startsWith('localhost')
        ? refusing(status)
        : refusing(302, { Location: `http://localhost:${port}/there` }))(request, response);
    const repository = await remote({ remoteRepositoryUsername: 'ci', remoteRepositoryPassword: newPassword() });
    expect(await sentenceOf(repository)).toBe(`leads to an address that ${sentence} (HTTP ${status}).`);
  });
});

describe('What an upstream says of its denial', () => {
  const forbids = 'forbids this, and this repository has no credentials for it';

  it.each([
    ['a short text', 'Blocked by policy 7.\n', text],
    ['`error` of npm', JSON.stringify({ error: 'Blocked by policy 7.' }), json],
    ['`message`', JSON.stringify({ message: 'Blocked by policy 7' }), json],
    [
      '`detail` of a problem',
      JSON.stringify({ detail: 'Blocked by policy 7' }),
      { 'Content-Type': 'application/problem+json' },
    ],
    [
      '`errors[0].message`',
      JSON.stringify({ errors: [{ code: 'DENIED', message: 'Blocked by policy 7' }], message: 'x' }),
      json,
    ],
    ['`errors[0].detail`', JSON.stringify({ errors: [{ detail: 'Blocked by policy 7' }] }), json],
    ['JSON without a media type', JSON.stringify({ error: { message: 'Blocked by policy 7' } }), {}],
    ['control characters', JSON.stringify({ error: '\u001b\u202eBlocked\r\n\u0000by\u2028policy\t7' }), json],
    ['a compressed page', gzipSync('Blocked by policy 7'), { ...text, 'Content-Encoding': 'gzip' }],
  ])('is passed on as plain text: %s', async (_, page, headers) => {
    upstream.answer = denying(403, page, headers);
    expect(await sentenceOf(await remote())).toBe(`${forbids}: "Blocked by policy 7" (HTTP 403).`);
  });

  it('is passed on with 200 characters at most', async () => {
    upstream.answer = denying(403, JSON.stringify({ error: 'no '.repeat(100) }), json);
    expect(await sentenceOf(await remote())).toBe(`${forbids}: "${'no '.repeat(67).slice(0, 200)}" (HTTP 403).`);
  });

  it.each([
    ['a page of HTML', '<html>Blocked</html>', { 'Content-Type': 'text/html' }],
    ['a page of HTML that is called a text', 'Blocked <b>for ever</b>', text],
    ['XML', '<Error><Code>AccessDenied</Code></Error>', { 'Content-Type': 'application/xml' }],
    ['JSON without a sentence', '{"code":7}', json],
    ['no JSON', '{"error":', json],
    ['a long page', `Blocked${' '.repeat(5_000)}`, text],
    ['nothing', ' ', text],
  ])('is left out if it is %s', async (_, page, headers) => {
    upstream.answer = denying(403, page, headers);
    expect(await sentenceOf(await remote())).toBe(`${forbids} (HTTP 403).`);
  });

  it('is left out if it does not come in a second', async () => {
    upstream.answer = (_request, response) => {
      response.writeHead(403, text).write('Blocked');
      setTimeout(() => response.end(), 5_000).unref();
    };
    expect(await sentenceOf(await remote())).toBe(`${forbids} (HTTP 403).`);
  });

  it('never shows the credentials of the repository, nor what looks like a token', async () => {
    const [username, password] = [uniqueName('robot'), `${newPassword()} +/%`];
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const said = [username, password, encodeURIComponent(password), basic, 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'];
    upstream.answer = denying(403, JSON.stringify({ error: `No: ${said.join(', ')}; ask Bob` }), json);
    const repository = await remote({ remoteRepositoryUsername: username, remoteRepositoryPassword: password });
    expect(await sentenceOf(repository)).toBe(
      'forbids this to the credentials of this repository: "No: …, …, …, …, …; ask Bob" (HTTP 403).',
    );
  });
});

describe('A pause that an upstream asks for', () => {
  const waitOf = ({ headers }: Awaited<ReturnType<typeof ask>>): number => Number(headers['retry-after']);

  it('is told to the client, and what is left of it to the next ones', async () => {
    upstream.answer = refusing(429, { 'Retry-After': '120' });
    const repository = await remote();
    const first = await ask(repository);
    expect([first.code, first.headers['retry-after']]).toEqual(['UPSTREAM_FAILED', '120']);
    const key = upstreamPauseKey(repository.id);
    await new Table().writeUnrecorded([
      { update: key, set: 'SET #until = :until', values: { ':until': Date.now() + 60_500 } },
    ]);
    const next = await ask(repository);
    expect(next.problem?.detail).toContain('accepts no requests until');
    expect(waitOf(next)).toBeGreaterThan(50);
    expect(waitOf(next)).toBeLessThanOrEqual(61);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is 30 seconds if it does not say how long', async () => {
    upstream.answer = refusing(429);
    expect((await ask(await remote())).headers['retry-after']).toBe('30');
  });

  it('is told to all who wait for the same file', async () => {
    const repository = await remote();
    const tarball = { dist: { tarball: '/foo.tgz' }, version: '1.0.0' };
    upstream.answer = (request, response) => {
      if (request.url === '/foo')
        serving(JSON.stringify({ name: 'foo', versions: { '1.0.0': tarball } }))(request, response);
      else setTimeout(() => refusing(429, { 'Retry-After': '120' })(request, response), 1_500);
    };
    await ask(repository, 'foo');
    const answers = await Promise.all([1, 2, 3].map(async () => ask(repository, 'foo/-/foo-1.0.0.tgz')));
    for (const answer of answers) {
      expect(answer.code).toBe('UPSTREAM_FAILED');
      expect(waitOf(answer)).toBeGreaterThan(100);
    }
    expect(upstream.requests).toHaveLength(2);
  });

  it('is asked of nobody by another failure', async () => {
    upstream.answer = refusing(500, { 'Retry-After': '120' });
    expect((await ask(await remote())).headers['retry-after']).toBeUndefined();
  });
});
