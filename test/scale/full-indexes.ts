import { getConanDocument } from '../../functions/conan/contracts.ts';
import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import { indexBytesMax, sizeOfEntry } from '../../shared/packages/index/entry-bounds.ts';
import { entriesOf, readIndex } from '../../shared/packages/index/package-index.ts';
import { Table } from '../../shared/table/client.ts';
import { type IndexRef, indexHeadKey } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { growIndex } from '../bench/grown-index.ts';
import { measuredTypes, type Request } from '../bench/measured-types.ts';
import { pathOf } from '../harness/client.ts';
import { publishBody } from '../harness/npm.ts';
import { type PackageFormat, paramsOf, type VersionAddress } from '../harness/package-format.ts';
import {
  cargoFormat,
  goFormat,
  helmFormat,
  mavenFormat,
  nameIn,
  npmFormat,
  pypiFormat,
} from '../harness/package-formats.ts';
import { storedRepository } from '../harness/packages.ts';
import { createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { chocolateyFormat } from '../types/chocolatey-format.ts';
import { composerFormat } from '../types/composer.ts';
import { conanFormat } from '../types/conan-format.ts';
import { gemsFormat } from '../types/gems.ts';
import { nugetFormat } from '../types/nuget-format.ts';

/** Indexes that are as large as whoever may publish can make them. `npm run test:full-indexes` needs two quiet cores and 4 GB. */
jest.setTimeout(600_000);

/** A request to the API ends after 29 seconds, and its function before. */
const secondsMax = 25;
/** The memory of a function, in MB. */
const memoryMax = 1_024;

const service = useService();
let workspace: Named;
let as: string;

beforeAll(async () => {
  workspace = await service.world.workspace();
  as = (await service.world.systemAdmin()).bearer;
});

/** The highest memory of this process while something is done, in MB beyond what it was. The functions are its threads. */
const measured = async <T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; megabytes: number }> => {
  const megabytes = (): number => process.memoryUsage.rss() / 2 ** 20;
  const before = megabytes();
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, megabytes());
  }, 50);
  const startedAt = performance.now();
  try {
    const result = await work();
    return { result, seconds: (performance.now() - startedAt) / 1000, megabytes: highest - before };
  } finally {
    clearInterval(watch);
  }
};

/** Publishes a version whose entry is as large as npm allows. */
const publishLargest: PackageFormat['publish'] = async (_, { name, version, as: bearer, ...of }) =>
  service.client.attempt(publishNpmPackage, {
    params: paramsOf(of, name),
    body: publishBody(name, version, { description: 'd'.repeat(900_000) }),
    as: bearer,
  });

/** Fills the index of the one version that is there with copies of its entry. Returns their number. */
const fill = async (format: PackageFormat, address: VersionAddress): Promise<number> => {
  const local = await storedRepository(workspace.id, address.repository.id);
  const contentId = contentIdOf(local);
  const ref: IndexRef = { contentId, ...(!format.hasRepositoryIndex && { name: address.name }) };
  const found = await readIndex(new Table(), ref);
  const [entry] = found ? [...(await entriesOf(new Table(), found)).values()] : [];
  if (!found || !entry) throw new Error(`${format.packageType} has no index.`);
  // A copy has a version or a name that is up to six characters longer, in each of its texts.
  const bytes = sizeOfEntry(entry.version, entry.parts);
  const [copied, copyOf] = format.hasRepositoryIndex
    ? [address.name, (text: string, at: number) => text.replaceAll(address.name, `${address.name}-${at}`)]
    : ['1.0.0', (text: string, at: number) => text.replaceAll('1.0.0', `1.0.${at}`)];
  const longer = [entry.version, ...entry.parts].reduce((sum, text) => sum + (text.split(copied).length - 1) * 6, 0);
  const count = Math.floor(indexBytesMax / (bytes + longer));
  await growIndex(local.workspaceId, ref, count, copyOf);
  const values = { ':bytes': count * bytes };
  await new Table().writeUnrecorded([{ update: indexHeadKey(ref), set: 'SET #entryBytes = :bytes', values }]);
  return count;
};

/** The request that the bench measures of a type. It measures npm otherwise. */
const measuredRequest = (packageType: PackageFormat['packageType'], name: string): Request =>
  measuredTypes.find((each) => each.packageType === packageType)?.index(name) ?? {
    contract: getNpmDocument,
    params: { path: name },
  };

/** The request for the index of a package. A search for all recipes in a full one of Conan is refused: installs read what one version has. */
const indexRequest = (packageType: PackageFormat['packageType'], name: string): Request =>
  packageType === 'conan'
    ? { contract: getConanDocument, params: { path: `${name}/1.0.0/_/_/revisions` } }
    : measuredRequest(packageType, name);

/** Reads an index to its end; a large one is a redirect to the store. Returns its bytes. */
const readWhole = async (path: string, encoding: string): Promise<number> => {
  const headers = { authorization: as, 'accept-encoding': encoding };
  const answer = await fetch(service.runner.url + path, { headers });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.arrayBuffer()).byteLength;
};

const formats = [
  npmFormat,
  pypiFormat,
  cargoFormat,
  chocolateyFormat,
  composerFormat,
  conanFormat,
  gemsFormat,
  goFormat,
  helmFormat,
  mavenFormat,
  nugetFormat,
];

describe.each([
  ...formats.map((format) => [format.packageType, 'as many entries as it holds', format, format.publish] as const),
  ['npm', 'the largest entries', npmFormat, publishLargest] as const,
])('An index of %s that is full of %s', (packageType, kind, format, publish) => {
  it('is read in time and in the memory of a function, also through a virtual repository', async () => {
    const repository = await service.world.repository(workspace, undefined, format.packageType);
    const address = { workspace, repository, name: nameIn(format, uniqueName('full')), version: '1.0.0', as };
    await publish(service, address, 'content');
    const count = await fill(format, address);
    const virtual = await createVirtual(service, workspace, [repository], { packageType: format.packageType });
    for (const [from, id] of [
      ['local', repository.id],
      ['virtual', virtual.id],
    ] as const) {
      for (const encoding of ['identity', 'gzip']) {
        const { contract, params, query = {} } = indexRequest(packageType, address.name);
        const search = new URLSearchParams(query).toString();
        const path =
          pathOf(contract, { workspace: workspace.id, repository: id, ...params }) + (search && `?${search}`);
        const { result, seconds, megabytes } = await measured(async () => readWhole(path, encoding));
        process.stdout.write(
          `${packageType}, ${kind}, ${from}, ${encoding}: ${count} entries, ${result} bytes in ${seconds.toFixed(1)} s, ${Math.round(megabytes)} MB more\n`,
        );
        expect(result).toBeGreaterThan(packageType === 'conan' ? 0 : count);
        expect(seconds).toBeLessThan(secondsMax);
        expect(megabytes).toBeLessThan(memoryMax);
      }
    }
  });
});

describe('A search in an index of conan that is full', () => {
  it('is refused with a sentence', async () => {
    const repository = await service.world.repository(workspace, undefined, 'conan');
    const address = { workspace, repository, name: nameIn(conanFormat, uniqueName('full')), version: '1.0.0', as };
    await conanFormat.publish(service, address, 'content');
    await fill(conanFormat, address);
    const { contract, query } = measuredRequest('conan', address.name);
    const params = { workspace: workspace.id, repository: repository.id };
    const answer = await service.client.attempt(contract, { params, query, as });
    expect([answer.status, answer.code]).toEqual([400, 'LIST_TOO_LONG']);
  });
});
