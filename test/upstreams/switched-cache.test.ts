import { updateRepository } from '../../functions/repositories/contracts.ts';
import type { PackageFormat } from '../harness/package-format.ts';
import {
  cargoFormat,
  goFormat,
  helmFormat,
  mavenFormat,
  nameIn,
  npmFormat,
  pypiFormat,
  universalFormat,
} from '../harness/package-formats.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { oneOfEach, sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { mirrorOf, refusing, useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { chocolateyFormat } from '../types/chocolatey-format.ts';
import { composerFormat } from '../types/composer.ts';
import { conanFormat } from '../types/conan-format.ts';
import { gemsFormat } from '../types/gems.ts';
import { nugetFormat } from '../types/nuget-format.ts';

const service = useService();
const upstream = useUpstream();
let as: string;
beforeAll(async () => {
  as = (await service.world.systemAdmin()).bearer;
});

/** `npm run test:formats` takes all types; `npm test` two, in turn. */
const formats = oneOfEach<PackageFormat>(
  [
    [
      npmFormat,
      helmFormat,
      pypiFormat,
      cargoFormat,
      composerFormat,
      conanFormat,
      gemsFormat,
      nugetFormat,
      chocolateyFormat,
    ],
    [universalFormat, goFormat, mavenFormat],
  ],
  process.env.ALL_FORMATS !== undefined,
);

/** A remote repository over a local one of another workspace, which has one version. */
const filledRemote = async (format: PackageFormat) => {
  const { packageType } = format;
  const home = await service.world.workspace();
  const local = await service.world.repository(home, undefined, packageType);
  const origin = { workspace: home, repository: local, name: nameIn(format, uniqueName('kept')), as };
  const publish = async (version: string) => format.publish(service, { ...origin, version }, `content of ${version}`);
  expect((await publish('1.0.0')).status).toBe(201);
  upstream.answer = mirrorOf(service, upstream, as);
  const base = `${upstream.url}/${packageType}/${home.id}/${local.id}/`;
  const workspace = await service.world.workspace();
  const remote = await createRemote(service, workspace, {
    packageType,
    remoteRepositoryUrl: packageType === 'universal' ? `${base}{package-name}/{version}/{file}` : base,
  });
  const virtual = await createVirtual(service, workspace, [remote], { packageType });
  const { name } = origin;
  const download = async (repository: Named = remote) => {
    const answer = await format.download(service, { workspace, repository, name, version: '1.0.0', as });
    return [answer.status, answer.headers['x-stockroom-cache']];
  };
  const versions = async (repository: Named = remote) =>
    packageType === 'universal' ? undefined : format.versions(service, { workspace, repository, name, as });
  const turn = async (isRemoteCacheEnabled: boolean): Promise<void> => {
    const params = { workspace: workspace.id, repository: remote.id };
    await service.client.succeed(updateRepository, { params, body: { isRemoteCacheEnabled }, as });
  };
  await versions();
  expect(await download()).toEqual([200, 'miss']);
  upstream.requests.length = 0;
  return { remote, virtual, publish, download, versions, turn };
};

describe('A remote repository that has kept something, and whose cache is turned off,', () => {
  it.each<PackageFormat>(formats)('asks its upstream for all of it: $packageType', async (format) => {
    const { remote, virtual, publish, download, versions, turn } = await filledRemote(format);
    const hasIndex = format.packageType !== 'universal';
    const known = hasIndex ? ['1.0.0'] : undefined;
    expect([await download(), await versions()]).toEqual([[200, 'hit'], known]);
    expect(upstream.requests).toEqual([]);
    await publish('1.1.0');
    await turn(false);
    const readers = sampleOf([remote, virtual], today + formats.indexOf(format));
    for (const reader of readers) {
      expect(await download(reader)).toEqual([200, 'miss']);
      expect((await versions(reader))?.toSorted()).toEqual(hasIndex ? ['1.0.0', '1.1.0'] : undefined);
    }
    upstream.answer = refusing(404);
    for (const reader of readers) {
      expect((await download(reader))[0]).toBe(404);
      // Without its index, nothing at all is known of a chart repository.
      if (!format.hasRepositoryIndex) expect(await versions(reader)).toBeUndefined();
    }
    // What was kept before is there still: nothing of it was served meanwhile, and nothing was lost.
    await turn(true);
    expect([await download(), await versions()]).toEqual([[200, 'hit'], known]);
  });
});
