import { gunzipSync } from 'node:zlib';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { frontId } from '../../infra/api/function-metadata.ts';
import { type Asked, askFront, askGateway } from '../front/answers.ts';
import { useNpmRepository } from '../harness/npm.ts';
import { loseObjects, storedObjects } from '../harness/object-store.ts';
import { publishVersions } from '../harness/packages.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

jest.setTimeout(120_000);

const service = useService({ isOwn: true, hasFront: true });
const npm = useNpmRepository(service);

/** A version whose entry of the index has more than 300 kB. */
const manifestOf = (name: string, version: string): string =>
  `{"name":"${name}","version":"${version}","description":"${'a'.repeat(300_000)}","dist":{"tarball":"{tarball}"}}`;

const publishLarge = async (name: string, count: number, from = 0): Promise<void> => {
  const { workspace, repository } = npm.setting;
  await publishVersions(workspace, repository, name, count, from, (_, version) => [manifestOf(name, version), '', '']);
};

const asked = (name: string, encoding: string): Asked => {
  const { workspace, repository, admin } = npm.setting;
  const headers = { authorization: admin.bearer, 'accept-encoding': encoding };
  return { path: `/npm/${workspace.name}/${repository.name}/${name}`, headers };
};

const queriesOf = (functionId: string): number =>
  service.proxy.callsOf(functionId).filter(({ operation }) => operation === 'Query').length;

/** The packument as the API answers, and what that asked of the table and the store. */
const read = async (name: string, encoding = 'gzip') => {
  for (const proxy of [service.proxy, service.store]) proxy.forget();
  const { body, headers } = await askGateway(service, asked(name, encoding));
  const bytes = Buffer.from(body, 'base64');
  const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return {
    versions: Object.keys((JSON.parse(text) as { versions: object }).versions).length,
    etag: headers.etag,
    queries: queriesOf(getNpmDocument.id),
    store: service.store.calls.map(({ method }) => method),
  };
};

const rendered = ['HEAD', 'PUT'];
const found = ['HEAD', 'GET'];

describe('A document of large indexes', () => {
  it('is rendered by one process for all, in each form and after each change', async () => {
    const name = uniqueName('large');
    await publishLarge(name, 4);
    expect(await read(name)).toMatchObject({ versions: 4, queries: 1, store: rendered });
    // This process has it in memory.
    expect(await read(name)).toMatchObject({ versions: 4, queries: 0, store: [] });
    await service.runner.reload();
    expect(await read(name)).toMatchObject({ versions: 4, queries: 0, store: found });
    expect(await read(name)).toMatchObject({ versions: 4, queries: 0, store: [] });
    expect(await read(name, 'identity')).toMatchObject({ versions: 4, store: rendered });
    const { etag } = await read(name);
    await publishLarge(name, 1, 4);
    const changed = await read(name);
    expect([changed.versions, changed.store, changed.etag === etag]).toEqual([5, rendered, false]);
  });

  it('is rendered again where the store has lost it', async () => {
    const name = uniqueName('large');
    const before = await storedObjects(service, 'staging/rendered/');
    await publishLarge(name, 4);
    await read(name);
    await loseObjects(
      service,
      [...(await storedObjects(service, 'staging/rendered/'))].filter((key) => !before.has(key)),
    );
    await service.runner.reload();
    expect(await read(name)).toMatchObject({ versions: 4, store: rendered });
  });

  it('is passed on by the front until the API has rendered it, and then read there', async () => {
    const name = uniqueName('large');
    await publishLarge(name, 4);
    const ask = async () => {
      service.proxy.forget();
      const { status, body, headers } = await askFront(service, asked(name, 'gzip'));
      return {
        status,
        body,
        etag: headers.etag,
        ofApi: service.proxy.callsOf(getNpmDocument.id).length,
        queries: queriesOf(frontId),
      };
    };
    const first = await ask();
    expect([first.status, first.ofApi > 0, first.queries]).toEqual([200, true, 0]);
    expect(await ask()).toEqual({ ...first, ofApi: 0 });
    await service.runner.reload();
    expect(await ask()).toEqual({ ...first, ofApi: 0 });
  });

  it('of small indexes is not shared', async () => {
    const name = uniqueName('small');
    await publishLarge(name, 3);
    expect((await read(name)).store).toEqual([]);
  });
});
