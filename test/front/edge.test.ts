import { sign } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deletePersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';
import { repositoryPath } from '../requests/package-documents.ts';
import { type Asked, askBoth, askFront, frontUrlOf, passedOn, type Told } from './answers.ts';
import { newPlace, readsOf, readTypes } from './reads.ts';

jest.setTimeout(120_000);

const service = useService({ hasEdge: true });
/** More than what an answer has inline. */
const large = Buffer.alloc(300_000, 'large');

let admin: Actor;
let workspace: Named;
let path: string;

const publishLarge = async (place: Named, repository: Named): Promise<string> => {
  const params = { workspace: place.id, repository: repository.id, path: 'tool/1.0.0/a%20tool!-1.0~b.zip' };
  const bytes = { content: large, mediaType: 'application/zip' };
  expect((await service.client.attempt(publishUniversalFile, { params, bytes, as: admin.bearer })).status).toBe(201);
  return `${repositoryPath('universal', place.id, repository.id)}${params.path}`;
};

beforeAll(async () => {
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  path = await publishLarge(workspace, await service.world.repository(workspace, undefined, 'universal'));
});

const ask = async (asked: Asked): Promise<Told> => askFront(service, asked);
const asAdmin = () => ({ authorization: admin.bearer });
const locationOf = async (method = 'GET', headers: Asked['headers'] = asAdmin()): Promise<URL> => {
  const told = await ask({ method, path, headers });
  expect(told.status).toBe(302);
  return new URL(String(told.headers.location));
};
const at = ({ pathname, search }: URL): string => pathname + search;

describe('At CloudFront', () => {
  it.each(sampleOf(readTypes, today))(
    'every read of packages of the type %s is answered as the API answers it, and none is passed on',
    async (type) => {
      const place = await newPlace(service, type, admin.bearer);
      const base = repositoryPath(type, place.workspace.id, place.local.id);
      const before = passedOn(service).length;
      for (const read of await readsOf(service, place)) {
        const headers = { ...asAdmin(), ...(read.accept !== undefined && { accept: read.accept }) };
        const asked = { path: read.path === '' ? base.replace(/\/$/, '') : base + read.path };
        const { etag } = (await askBoth(service, { ...asked, headers })).headers;
        await askBoth(service, { ...asked, headers: { ...headers, 'if-none-match': String(etag) } });
        await askBoth(service, { ...asked, headers, method: 'HEAD' });
      }
      const passed = passedOn(service).slice(before);
      expect(passed.filter((operation) => operation !== 'none')).toEqual([]);
    },
  );

  it('a refusal is that of the API, and a missing credential gets its challenge', async () => {
    const asked = [path, '/v2/', '/npm/a/b/%zz', '/nowhere', `/1/workspaces/${workspace.id}`];
    for (const each of asked) {
      await askBoth(service, { path: each });
      await askBoth(service, { path: each, headers: { authorization: 'Bearer nonsense' } });
    }
    expect((await ask({ path })).headers['www-authenticate']).toBe('Basic realm="stockroom", charset="UTF-8"');
  });

  it('nobody says who they are but in Authorization', async () => {
    const forged = { 'x-stockroom-authorization': admin.bearer };
    expect((await ask({ path, headers: forged })).status).toBe(401);
    expect((await ask({ path, headers: { ...forged, authorization: 'Bearer nonsense' } })).status).toBe(401);
    const stranger = await service.world.user();
    expect((await ask({ path, headers: { ...forged, authorization: stranger.bearer } })).status).toBe(404);
  });

  it('a revoked token is refused on the next request', async () => {
    const { bearer: authorization, account: as, tokenId } = await service.world.member(workspace, 'admin');
    const read = async () => (await ask({ path, headers: { authorization } })).status;
    expect([await read(), await read()]).toEqual([302, 302]);
    await service.client.succeed(deletePersonalAccessToken, { params: { tokenId }, as });
    expect(await read()).toBe(401);
  });

  it('documents have the address of the service, whatever host the client names', async () => {
    const place = await newPlace(service, 'npm', admin.bearer);
    const document = repositoryPath('npm', place.workspace.id, place.local.id) + place.name;
    const host = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    const { body } = await ask({ path: document, headers: { ...asAdmin(), ...host } });
    const text = Buffer.from(body, 'base64').toString();
    expect(text).toContain(`"tarball":"${frontUrlOf(service)}/npm/`);
    expect(text).not.toMatch(/evil\.example|_blobs|Signature/);
  });
});

describe('A large file at CloudFront', () => {
  it('is redirected to an address of the same host, which works for a minute', async () => {
    const { origin, pathname, searchParams } = await locationOf();
    expect(origin).toBe(frontUrlOf(service));
    expect(pathname).toMatch(new RegExp(`^/_blobs/${workspace.id}/[0-9a-f]{64}\\.[\\w-]+/a_tool_-1.0~b.zip$`));
    const seconds = Number(searchParams.get('Expires')) - Date.now() / 1_000;
    expect([seconds > 50, seconds <= 60]).toEqual([true, true]);
  });

  it('is redirected there under its name also where the API answers', async () => {
    const { pathname } = await locationOf('GET', { authorization: admin.account });
    expect(pathname).toMatch(/\/a_tool_-1\.0~b\.zip$/);
  });

  it('is there, whole and in parts, by GET and HEAD, and no browser shows it', async () => {
    const address = at(await locationOf());
    const whole = await ask({ path: address });
    expect([whole.status, Buffer.from(whole.body, 'base64').equals(large)]).toEqual([200, true]);
    expect(whole.headers).toMatchObject({ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' });
    const part = await ask({ path: address, headers: { range: 'bytes=0-4' } });
    expect([part.status, Buffer.from(part.body, 'base64').toString()]).toEqual([206, 'large']);
    const head = await ask({ method: 'HEAD', path: at(await locationOf('HEAD')) });
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, `${large.length}`, '']);
  });

  it('is there for clients that repeat their credential, right or wrong', async () => {
    const address = at(await locationOf());
    for (const authorization of [admin.bearer, 'Bearer nonsense', 'Basic eA=='])
      expect((await ask({ path: address, headers: { authorization } })).status).toBe(200);
  });

  it('is redirected there also where the API answers: for a password, and for the first use of a token', async () => {
    const before = passedOn(service).length;
    const { bearer } = await service.world.member(workspace, 'admin');
    for (const authorization of [admin.account, bearer])
      expect((await locationOf('GET', { authorization })).pathname).toMatch(/^\/_blobs\//);
    expect(passedOn(service).length).toBe(before + 2);
  });

  it('is at no address that is altered, of another workspace, or over', async () => {
    const address = await locationOf();
    const other = await service.world.workspace();
    const changed = (change: (url: URL) => void): string => {
      const copy = new URL(address);
      change(copy);
      return at(copy);
    };
    const set = (name: string, value: string) => changed(({ searchParams }) => searchParams.set(name, value));
    const addresses = {
      'without a signature': address.pathname,
      'of another workspace': changed((url) => {
        url.pathname = url.pathname.replace(workspace.id, other.id);
      }),
      'of another file': changed((url) => {
        url.pathname = url.pathname.replace(/[0-9a-f]{8}\./, '00000000.');
      }),
      'of what is staged': changed((url) => {
        url.pathname = '/_blobs/../staging/x';
      }),
      'for longer': set('Expires', `${Number(address.searchParams.get('Expires')) + 600}`),
      'of another key': set('Key-Pair-Id', 'K1OTHER'),
      'with another signature': set('Signature', 'AAAA'),
      'with a parameter more': set('response-content-type', 'text/html'),
    };
    for (const [what, altered] of Object.entries(addresses))
      expect([what, (await ask({ path: altered, headers: asAdmin() })).status]).toEqual([
        what,
        what === 'of what is staged' ? expect.any(Number) : 403,
      ]);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect([method, (await ask({ method, path: at(address) })).status]).toEqual([method, 403]);
  });

  it('is not there a moment after the end', async () => {
    const { pathname, origin } = await locationOf();
    const expires = Math.floor(Date.now() / 1_000) + 1;
    const condition = { DateLessThan: { 'AWS:EpochTime': expires } };
    const policy = JSON.stringify({ Statement: [{ Resource: origin + pathname, Condition: condition }] });
    if (!service.edge) throw new Error('This service has no edge.');
    const signature = sign('sha256', Buffer.from(policy), service.edge.privateKey).toString('base64');
    const escaped = signature.replaceAll('+', '-').replaceAll('=', '_').replaceAll('/', '~');
    const address = `${pathname}?Expires=${expires}&Signature=${escaped}&Key-Pair-Id=K2EDGE&Hash-Algorithm=SHA256`;
    await pause(1_100);
    expect((await ask({ path: address })).status).toBe(403);
  });
});
