import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMavenFile } from '../../functions/maven/contracts.ts';
import { deleteContent, deletePackage } from '../../functions/packages/contracts.ts';
import { paramsOf } from '../harness/package-format.ts';
import { deleteVersionOf, mavenFormat } from '../harness/package-formats.ts';
import { shapesOf } from '../harness/released-world.ts';
import { useService } from '../harness/service.ts';
import { snapshot } from '../harness/snapshot.ts';
import { replaceItems } from '../harness/stored-items.ts';
import { withoutKeptNames } from '../kills/kept-names.ts';
import {
  buildReleasedPackages,
  publishReleased,
  type ReleasedPackages,
  releasedFormats,
} from '../released-items/released-packages.ts';

/** Packages as earlier releases stored them, and as the code did before an index had a name: every later one reads, changes and deletes them. */
const folder = join(__dirname, '..', 'released-items', 'packages');
jest.setTimeout(90_000);

const service = useService();

const recordings = globSync('*.json', { cwd: folder })
  .toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }))
  .map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as ReleasedPackages] as const);

const types = Object.keys(releasedFormats) as (keyof typeof releasedFormats)[];

it('the newest recording is of the items that this release writes: record again when they change, and keep the old', async () => {
  const present = await buildReleasedPackages(service);
  const newest = recordings.find(([file]) => /^\d/.test(file));
  expect(shapesOf(newest?.[1].items ?? [])).toEqual(shapesOf(present.items));
});

describe.each(recordings)('The packages of %s', (_, { admin, workspace, packages, items }) => {
  beforeEach(async () => {
    await replaceItems(items);
    service.runner.clearAuthorizerCache();
  });

  const addressOf = (type: keyof typeof releasedFormats) => ({ workspace, as: admin.bearer, ...packages[type] });
  const versionsOf = async (type: keyof typeof releasedFormats) =>
    (await releasedFormats[type].versions(service, addressOf(type)))?.toSorted();

  const prefixes = async (): Promise<string[]> => {
    const params = paramsOf(addressOf('maven'), 'org/acme/maven-metadata.xml');
    const { text } = await service.client.attempt(getMavenFile, { params, as: admin.bearer });
    return Array.from(text.matchAll(/<prefix>([^<]*)</g), ([, prefix = '']) => prefix);
  };
  const prefix = packages.maven.name.split(':')[1]?.replace('-maven-plugin', '');

  it.each(types)('are read, go on, and lose versions: %s', async (type) => {
    const [format, address] = [releasedFormats[type], addressOf(type)];
    expect(await versionsOf(type)).toEqual(['1.0.0', '3.0.0']);
    await publishReleased(service, format, { ...address, version: '4.0.0' });
    expect(await versionsOf(type)).toEqual(['1.0.0', '3.0.0', '4.0.0']);
    await deleteVersionOf(service, format, { ...address, version: '1.0.0' });
    expect(await versionsOf(type)).toEqual(['3.0.0', '4.0.0']);
    // The same bytes may come back.
    for (const version of ['1.0.0', '2.0.0']) await publishReleased(service, format, { ...address, version });
    expect(await versionsOf(type)).toEqual(['1.0.0', '2.0.0', '3.0.0', '4.0.0']);
    const params = { workspace: workspace.id, repository: address.repository.id, package: address.name };
    expect((await service.client.attempt(deletePackage, { params, as: admin.bearer })).status).toBe(200);
    expect((await versionsOf(type)) ?? []).toEqual([]);
  });

  it('of Maven keep their prefixes, as long as one version is there', async () => {
    expect(await prefixes()).toEqual([prefix]);
    const address = addressOf('maven');
    for (const version of ['1.0.0', '3.0.0']) await deleteVersionOf(service, mavenFormat, { ...address, version });
    expect(await prefixes()).toEqual([]);
    await publishReleased(service, mavenFormat, { ...address, version: '4.0.0' });
    expect(await prefixes()).toEqual([prefix]);
  });

  it('are swept, with the indexes that later versions are in', async () => {
    await publishReleased(service, mavenFormat, { ...addressOf('maven'), version: '4.0.0' });
    for (const type of types) {
      const params = { workspace: workspace.id, repository: packages[type].repository.id };
      expect((await service.client.attempt(deleteContent, { params, as: admin.bearer })).status).toBe(200);
    }
    while (!(await service.runner.runScheduled('sweeper')));
    const left = [...(await snapshot()).keys()].filter((key) => /^(?:PACKAGES?|INDEX)#/.test(key));
    expect(await withoutKeptNames(left)).toEqual([]);
  });
});
