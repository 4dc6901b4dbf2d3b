import { endpoints, isPackageRead } from '../../functions/endpoints.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { methodsOf } from '../../shared/http/contract.ts';
import { findRoute } from '../../shared/http/routes.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { mirrorOf, useUpstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';
import { repositoryPath } from '../requests/package-documents.ts';
import { askBoth, askFront, passedOn } from './answers.ts';
import { listingsOf, mirroredTypes, newPlace, type Place, type Read, readsOf, readTypes } from './reads.ts';

jest.setTimeout(300_000);

const service = useService({ hasFront: true });
const upstream = useUpstream();
/** All types, or one or two of them, others each day. One is of those that the tests can mirror. */
const types: readonly PackageType[] = process.env.ALL_FORMATS
  ? readTypes
  : [...new Set([...sampleOf(mirroredTypes, today), ...sampleOf(readTypes, today)])];

const routes = endpoints.flatMap((endpoint) =>
  methodsOf(endpoint).map((method) => ({ method, path: endpoint.path, id: endpoint.id })),
);
const asked = new Set<string | undefined>();

/** Asks both fronts, and notes which endpoint that was. */
const ask = async (...[method, path, headers]: [string, string, Readonly<Record<string, string>>]) => {
  const told = await askBoth(service, { method, path, headers });
  // Some types spell their versions otherwise or have none, and few packages have a README in these tests.
  if (told.status < 400 || /\/versions\/[^/]+(?:\/readme)?$/.test(path))
    asked.add(findRoute(routes, method, path.split('?')[0] ?? '')?.route.id);
  return told;
};

/** Each way in which a client asks: plain, without what it has, for the headers alone, compressed, for a part. */
const askInAllWays = async (path: string, headers: Readonly<Record<string, string>>): Promise<void> => {
  const { status, headers: told } = await ask('GET', path, headers);
  expect([path, status < 400]).toEqual([path, true]);
  const etag = told.etag === undefined ? undefined : String(told.etag);
  if (etag !== undefined) {
    const again = await ask('GET', path, { ...headers, 'if-none-match': etag });
    expect([path, again.status]).toEqual([path, 304]);
  }
  await ask('HEAD', path, headers);
  await ask('GET', path, { ...headers, 'accept-encoding': 'gzip' });
  await ask('GET', path, { ...headers, range: 'bytes=0-9' });
};

const headersOf = ({ as }: Place, { accept }: Read): Readonly<Record<string, string>> => ({
  authorization: as,
  ...(accept !== undefined && { accept }),
});

const pathIn = ({ packageType, workspace }: Place, repository: Named, { path }: Read): string =>
  // An address of a repository without a path has no slash at its end.
  (repositoryPath(packageType, workspace.id, repository.id) + path).replace(/\/$/, path === '' ? '' : '/');

const askForAll = async (place: Place, repository: Named, reads: readonly Read[]): Promise<void> => {
  for (const read of reads) await askInAllWays(pathIn(place, repository, read), headersOf(place, read));
};

/** What the front passed on since then, apart from HEAD where that is no request of the API. */
const passedOnSince = (before: number): readonly string[] =>
  passedOn(service)
    .slice(before)
    .filter((operation) => operation !== 'none');

/** The local repository as an upstream. That of universal files says where each part of an address goes. */
const upstreamUrlOf = ({ packageType, workspace, local }: Place): string => {
  const url = upstream.url + repositoryPath(packageType, workspace.id, local.id);
  return packageType === 'universal' ? `${url}{package-name}/{version}/{file}` : url;
};

let admin: Actor;
const places = new Map<string, { readonly place: Place; readonly reads: readonly Read[] }>();

const placeOf = (type: string) => {
  const found = places.get(type);
  if (!found) throw new Error(`Nothing of the type ${type} was published.`);
  return found;
};

beforeAll(async () => {
  admin = await service.world.systemAdmin();
  for (const type of types) {
    const place = await newPlace(service, type, admin.bearer);
    places.set(type, { place, reads: await readsOf(service, place) });
  }
});

describe('A read of packages is the same at both fronts', () => {
  it.each(types)(
    'of a local repository of the type %s, and through a virtual one, and none is passed on',
    async (type) => {
      const { place, reads } = placeOf(type);
      const virtual = await createVirtual(service, place.workspace, [place.local], { packageType: type });
      const before = passedOn(service).length;
      for (const repository of [place.local, virtual]) await askForAll(place, repository, reads);
      expect(passedOnSince(before)).toEqual([]);
    },
  );

  it.each(types.filter((type) => mirroredTypes.some((mirrored) => mirrored === type)))(
    'of what a remote repository of the type %s keeps, and the API fetches it first',
    async (type) => {
      const { place, reads } = placeOf(type);
      upstream.answer = mirrorOf(service, upstream, admin.bearer);
      const remote = await createRemote(service, place.workspace, {
        packageType: type,
        remoteRepositoryUrl: upstreamUrlOf(place),
        metadataCacheTimeTillRevalidation: 3_600_000,
      });
      const wanted = reads.filter(({ isLocal }) => !isLocal);
      const before = passedOn(service).length;
      for (const read of wanted) {
        const path = pathIn(place, remote, read);
        expect([path, (await askFront(service, { path, headers: headersOf(place, read) })).status]).toEqual([
          path,
          200,
        ]);
      }
      expect(passedOnSince(before)).not.toEqual([]);
      const kept = passedOn(service).length;
      await askForAll(place, remote, wanted);
      expect(passedOnSince(kept)).toEqual([]);
      // What is passed on has its lines in the log of the API alone.
      expect(service.logs.filter((line) => line.includes('PassOn'))).toEqual([]);
    },
  );

  it.each(types)('of the type %s in what the API tells of packages', async (type) => {
    const { place } = placeOf(type);
    const before = passedOn(service).length;
    for (const path of listingsOf(place, place.local)) await ask('GET', path, { authorization: admin.bearer });
    expect(passedOnSince(before)).toEqual([]);
  });

  it('at each endpoint that reads packages of these types', () => {
    const folders = new Set<string>(['packages', ...types]);
    const reading = endpoints.filter((each) => isPackageRead(each) && folders.has(each.id.split('/')[0] ?? ''));
    // It makes a token: the API alone can.
    const makesToken = types.includes('conan') ? ['conan/get-conan-token'] : [];
    expect(reading.map(({ id }) => id).filter((id) => !asked.has(id))).toEqual(makesToken);
  });
});

it('A cookie is the same at both fronts', async () => {
  const { workspace, local } = await newPlace(service, 'rpm', admin.bearer);
  const path = `${repositoryPath('rpm', workspace.id, local.id)}repodata/repomd.xml`;
  const headers = { authorization: admin.bearer };
  await ask('GET', path, headers);
  const { 'set-cookie': cookies } = (await ask('GET', `${path}.asc`, headers)).headers;
  expect(cookies).toEqual([expect.stringMatching(/^stockroom-snapshot=[0-9a-f]{64}; /)]);
});

it('A parameter with the name of a member that all objects have is the same at both fronts', async () => {
  const { workspace, local } = await newPlace(service, 'npm', admin.bearer);
  const path = repositoryPath('npm', workspace.id, local.id);
  for (const name of ['constructor', '__proto__', 'toString', '%63onstructor'])
    for (const query of [`${name}=1`, `${name}=1&${name}=2`]) {
      // Reads of packages ignore what they do not know, and management refuses it.
      expect((await ask('GET', `${path}absent?${query}`, { authorization: admin.bearer })).status).toBe(404);
      expect((await ask('GET', `/1/users/me?${query}`, { authorization: admin.bearer })).status).toBe(400);
    }
});

describe('A refusal is the same at both fronts', () => {
  it.each(types)('of the type %s', async (type) => {
    const { place, reads } = placeOf(type);
    const stranger = await service.world.user();
    const base = repositoryPath(type, place.workspace.id, place.local.id);
    const callers: readonly Readonly<Record<string, string>>[] = [
      {},
      { authorization: `Bearer ${newToken()}` },
      { authorization: 'Bearer nonsense' },
      { authorization: stranger.bearer },
      { authorization: stranger.account },
      { authorization: admin.bearer },
      { authorization: admin.bearer, via: '1.1 stockroom-0123456789abcdef' },
    ];
    for (const headers of callers)
      for (const path of [reads[0]?.path, 'absent', `${reads[0]?.path}?unknown=1`, '', '%zz', 'a%2Fb/../c'])
        await ask('GET', base + path, headers);
  });
});
