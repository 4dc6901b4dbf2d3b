import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import { deleteContent, getPackage } from '../../functions/packages/contracts.ts';
import { fetchChecked } from '../harness/client.ts';
import type { PackageFormat, VersionAddress } from '../harness/package-format.ts';
import { nameIn, npmFormat, sampledFormats } from '../harness/package-formats.ts';
import { createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { callsMade } from './calls-made.ts';
import { storeLargePackage } from './large-package.ts';

jest.setTimeout(60_000);

const service = useService();
let workspace: Named;
let as: string;

beforeAll(async () => {
  workspace = await service.world.workspace();
  as = (await service.world.systemAdmin()).bearer;
});

const newAddress = async (format: PackageFormat): Promise<VersionAddress> => {
  const repository = await service.world.repository(workspace, undefined, format.packageType);
  return { workspace, repository, name: nameIn(format, uniqueName('large')), version: '1.0.0', as };
};

describe('A package of many versions', () => {
  let address: VersionAddress;
  beforeAll(async () => {
    address = await newAddress(npmFormat);
    await storeLargePackage(address, 10_000);
  });

  it.each([1, 1_000, 10_000])('a publish beside %i versions makes the same calls', async (count) => {
    const place = count === 10_000 ? address : await newAddress(npmFormat);
    if (count < 10_000) await storeLargePackage(place, count);
    const publish = async (version: string) =>
      npmFormat.publish(service, { ...place, version }, `${place.name} ${version}`);
    // The first publish finds the address, and perhaps starts the function.
    expect((await publish('2.0.0')).status).toBe(201);
    expect(await callsMade(service, publishNpmPackage, async () => publish('2.0.1'), 201)).toEqual({
      table: ['BatchGetItem', 'BatchGetItem', 'TransactWriteItems', 'TransactWriteItems'],
      store: ['PUT'],
    });
    const params = { workspace: workspace.id, repository: place.repository.id, package: place.name };
    expect((await service.client.succeed(getPackage, { params, as })).versionCount).toBe(count + 2);
  });

  it.each([
    ['full', 'application/json'],
    ['abbreviated', 'application/vnd.npm.install-v1+json'],
  ])('is answered in one piece, in its %s form', async (_, accept) => {
    const path = `/npm/${workspace.id}/${address.repository.id}/${address.name}`;
    const url = service.runner.url + path;
    const answer = await fetchChecked(getNpmDocument, url, {
      Authorization: as,
      Accept: accept,
      'Accept-Encoding': 'gzip',
    });
    const { versions } = (await answer.json()) as { versions: Record<string, { dist: { tarball: string } }> };
    expect({ status: answer.status, encoding: answer.headers.get('content-encoding') }).toEqual({
      status: 200,
      encoding: 'gzip',
    });
    expect(Object.keys(versions).length).toBeGreaterThanOrEqual(10_000);
    expect(versions['1.0.9999']?.dist.tarball).toBe(`${url}/-/${address.name}-1.0.9999.tgz`);
  });
});

describe.each(sampledFormats(0))('A large file of $packageType', (format) => {
  const contract = format.downloading;
  const content = 'large'.padEnd(300_000, '.');

  it('costs one call of the table and none of the object store, in a local and in a virtual repository', async () => {
    const address = await newAddress(format);
    const { packageType } = format;
    const first = await service.world.repository(workspace, undefined, packageType);
    expect((await format.publish(service, address, content)).status).toBe(201);
    const virtual = await createVirtual(service, workspace, [first, address.repository], { packageType });
    for (const repository of [address.repository, virtual]) {
      const download = async () => format.download(service, { ...address, repository });
      // The first one tells the process which repositories a virtual one combines.
      expect((await download()).status).toBe(302);
      const queries = repository === virtual && format.sendsFilesAlone ? ['Query', 'Query'] : [];
      const table = ['BatchGetItem', ...queries];
      expect(await callsMade(service, contract, download, 302)).toEqual({ table, store: [] });
    }
  });

  it('is found in a repository that was emptied, by one call more at first', async () => {
    const address = await newAddress(format);
    expect((await format.publish(service, address, content)).status).toBe(201);
    const params = { workspace: workspace.id, repository: address.repository.id };
    await service.client.succeed(deleteContent, { params, as });
    expect((await format.download(service, address)).status).toBe(404);
    expect((await format.publish(service, address, 'other'.padEnd(300_000, '.'))).status).toBe(201);
    const download = async () => format.download(service, address);
    expect((await download()).status).toBe(302);
    expect(await callsMade(service, contract, download, 302)).toEqual({ table: ['BatchGetItem'], store: [] });
  });
});

describe.each(sampledFormats(1))('A small file of $packageType', (format) => {
  it('is read from the object store once by a process', async () => {
    const contract = format.downloading;
    const address = await newAddress(format);
    expect((await format.publish(service, address, 'small')).status).toBe(201);
    const download = async () => format.download(service, address);
    const { text } = await download();
    expect(await callsMade(service, contract, download, 200)).toEqual({ table: ['BatchGetItem'], store: [] });
    expect((await download()).text).toBe(text);
  });
});
