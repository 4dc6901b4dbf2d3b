import { randomBytes } from 'node:crypto';
import { getUniversalFile, publishUniversalFile } from '../../functions/universal/contracts.ts';
import { sha256 } from '../harness/bytes.ts';
import { type Answer, fetchChecked } from '../harness/client.ts';
import { cutObjects, damageObjects, loseObjects, storedBlobs } from '../harness/object-store.ts';
import type { PackageFormat, VersionAddress } from '../harness/package-format.ts';
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
import { brokenContent } from '../harness/stored-packages.ts';
import { mirrorOf, serving, useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { chocolateyFormat } from '../types/chocolatey-format.ts';
import { composerFormat } from '../types/composer.ts';
import { conanFormat } from '../types/conan-format.ts';
import { debianFormat } from '../types/debian.ts';
import { gemsFormat } from '../types/gems.ts';
import { nugetFormat } from '../types/nuget-format.ts';
import { rpmFormat } from '../types/rpm.ts';

jest.setTimeout(180_000);

const service = useService({ environment: { ALLOWED_PRIVATE_UPSTREAMS: '127.0.0.1,localhost' } });
const upstream = useUpstream();
let as: string;
beforeAll(async () => {
  as = (await service.world.systemAdmin()).bearer;
});

/** Whether all types lose their bytes, as `npm run test:lost` lets them; in `npm test` two do, in turn. */
const allLosses = process.env.ALL_LOSSES !== undefined;

const formats = oneOfEach<PackageFormat>(
  [
    [
      npmFormat,
      helmFormat,
      pypiFormat,
      cargoFormat,
      composerFormat,
      conanFormat,
      debianFormat,
      gemsFormat,
      nugetFormat,
      chocolateyFormat,
      rpmFormat,
    ],
    [universalFormat, goFormat, mavenFormat],
  ],
  allLosses,
);
/** One type for each way of an index is enough for bytes that are damaged. */
const losses = [
  ['deleted', loseObjects, formats],
  ['damaged', damageObjects, oneOfEach<PackageFormat>([[npmFormat, helmFormat, universalFormat]], allLosses)],
] as const;

const newAddress = async (format: PackageFormat, content: string): Promise<VersionAddress> => {
  const workspace = await service.world.workspace();
  const repository = await service.world.repository(workspace, undefined, format.packageType);
  const address = { workspace, repository, name: nameIn(format, uniqueName('lost')), version: '1.0.0', as };
  const { status, text } = await format.publish(service, address, content);
  expect({ status, text }).toEqual({ status: 201, text });
  return address;
};

const objectsOf = async ({ id }: Named): Promise<string[]> => storedBlobs(service, id);

/** Loses all bytes of a workspace behind the back of the service, whose processes then begin anew, without any in memory. */
const lose = async (workspace: Named, loss: typeof loseObjects): Promise<string[]> => {
  const keys = await objectsOf(workspace);
  expect(keys.length).toBeGreaterThan(0);
  await loss(service, keys);
  await service.runner.reload();
  return keys;
};

const statusAndText = ({ status, text }: Answer) => ({ status, text });

/** The client of the tests takes any 500 for a failure. */
const expectLost = async (answer: Promise<unknown>): Promise<void> => {
  await expect(answer).rejects.toThrow(/"status":500.*"code":"CONTENT_LOST"/);
};

/** How often the log says that an object is lost, and how often the metric counts one. */
const lossesLogged = () => {
  const lines = service.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    errors: lines.filter(({ level, message }) => level === 'ERROR' && message === 'object lost').length,
    counted: lines.filter(({ lostObjects }) => lostObjects === 1).length,
  };
};

describe.each(losses)('What a local repository has, %s behind its back,', (_, loss, ofTypes) => {
  it.each<PackageFormat>(ofTypes)(
    'is an error until the next publish of the same bytes: $packageType',
    async (format) => {
      const content = uniqueName('content');
      const address = await newAddress(format, content);
      await lose(address.workspace, loss);
      const before = lossesLogged();
      await expectLost(format.download(service, address));
      const { errors, counted } = lossesLogged();
      expect([errors > before.errors, counted > before.counted]).toEqual([true, true]);
      const again = await format.publish(service, address, content);
      expect([again.status, again.code]).toEqual([409, 'VERSION_EXISTS']);
      expect(statusAndText(await format.download(service, address))).toEqual({ status: 200, text: content });
      expect(await format.versions(service, address)).toEqual(
        format.packageType === 'universal' ? expect.any(Array) : ['1.0.0'],
      );
      expect(await brokenContent(service)).toEqual([]);
    },
  );

  it('is stored again by the publish of another version that has them, too', async () => {
    const content = uniqueName('content');
    const address = await newAddress(universalFormat, content);
    await lose(address.workspace, loss);
    const other = await universalFormat.publish(service, { ...address, version: '2.0.0' }, content);
    expect(other.status).toBe(201);
    for (const version of ['1.0.0', '2.0.0'])
      expect((await universalFormat.download(service, { ...address, version })).text).toBe(content);
  });
});

/** The URL of a repository as that of an upstream. */
const upstreamUrl = ({ packageType }: PackageFormat, { workspace, repository }: VersionAddress): string => {
  const base = `${upstream.url}/${packageType}/${workspace.id}/${repository.id}/`;
  return packageType === 'universal' ? `${base}{package-name}/{version}/{file}` : base;
};

describe.each(losses)('What a remote repository keeps, %s behind its back,', (_, loss, ofTypes) => {
  it.each<PackageFormat>(ofTypes)(
    'is fetched anew by the next reader, also through a virtual one: $packageType',
    async (format) => {
      const content = uniqueName('content');
      const origin = await newAddress(format, content);
      upstream.answer = mirrorOf(service, upstream, as);
      const workspace = await service.world.workspace();
      const { packageType } = format;
      const fields = { packageType, remoteRepositoryUrl: upstreamUrl(format, origin) };
      const remote = await createRemote(service, workspace, fields);
      const virtual = await createVirtual(service, workspace, [remote], { packageType });
      const read = async (repository: Named): Promise<unknown> => {
        const address = { ...origin, workspace, repository };
        const versions = packageType === 'universal' ? [] : await format.versions(service, address);
        return [versions, statusAndText(await format.download(service, address))];
      };
      const expected = [packageType === 'universal' ? [] : ['1.0.0'], { status: 200, text: content }];
      expect(await read(remote)).toEqual(expected);
      // What virtual repositories sign themselves has a suite of its own: lost-generations.
      const readers = format === debianFormat || format === rpmFormat ? [remote] : [remote, virtual];
      for (const repository of allLosses ? readers : sampleOf(readers, (today >> 1) + ofTypes.indexOf(format))) {
        const keys = await lose(workspace, loss);
        expect(await read(repository)).toEqual(expected);
        expect(await objectsOf(workspace)).toEqual(keys);
        expect(await brokenContent(service)).toEqual([]);
        // What was fetched anew is kept: nobody asks the upstream again.
        upstream.requests.length = 0;
        await service.runner.reload();
        expect(await read(repository)).toEqual(expected);
        expect(upstream.requests).toEqual([]);
      }
    },
  );
});

describe('A file that is too large for an answer', () => {
  const sizes = [300_000, 9_000_000];
  const paramsOf = (workspace: Named, repository: Named) => ({
    params: { workspace: workspace.id, repository: repository.id, path: 'tool/1.0.0/tool.bin' },
  });
  const hashAt = async (workspace: Named, repository: Named): Promise<string> => {
    const { params } = paramsOf(workspace, repository);
    const url = `${service.runner.url}/universal/${params.workspace}/${params.repository}/${params.path}`;
    const answer = await fetchChecked(getUniversalFile, url, { Authorization: as });
    return answer.status === 200 ? sha256(Buffer.from(await answer.arrayBuffer())) : `${answer.status}`;
  };

  it.each(sizes)(
    'of %d bytes is fetched anew by a remote repository, by the process that fetched it first, too',
    async (size) => {
      const bytes = randomBytes(size);
      upstream.answer = serving(bytes, { ETag: '"one"' });
      const workspace = await service.world.workspace();
      const remoteRepositoryUrl = `${upstream.url}/{package-name}/{version}/{file}`;
      const remote = await createRemote(service, workspace, { packageType: 'universal', remoteRepositoryUrl });
      expect(await hashAt(workspace, remote)).toBe(sha256(bytes));
      const keys = await objectsOf(workspace);
      await loseObjects(service, keys);
      expect(await hashAt(workspace, remote)).toBe(sha256(bytes));
      expect(await objectsOf(workspace)).toEqual(keys);
      for (const loss of [loseObjects, cutObjects]) {
        await lose(workspace, loss);
        expect(await hashAt(workspace, remote)).toBe(sha256(bytes));
      }
    },
  );

  it('is looked for once, however often clients are redirected to it', async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, undefined, 'universal');
    const content = randomBytes(300_000);
    const bytes = { content, mediaType: 'application/octet-stream' };
    await service.client.attempt(publishUniversalFile, { ...paramsOf(workspace, repository), bytes, as });
    service.store.forget();
    for (let round = 0; round < 3; round += 1) expect(await hashAt(workspace, repository)).toBe(sha256(content));
    const methods = service.store.calls.map(({ method }) => method);
    expect(methods.filter((method) => method === 'HEAD')).toHaveLength(1);
    expect(methods.filter((method) => method === 'GET')).toHaveLength(3);
  });

  it('500 CONTENT_LOST until it is published again', async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, undefined, 'universal');
    const request = { ...paramsOf(workspace, repository), as };
    const bytes = { content: randomBytes(300_000), mediaType: 'application/octet-stream' };
    await service.client.attempt(publishUniversalFile, { ...request, bytes });
    await lose(workspace, loseObjects);
    await expectLost(service.client.attempt(getUniversalFile, request));
    expect((await service.client.attempt(publishUniversalFile, { ...request, bytes })).code).toBe('VERSION_EXISTS');
    expect(await hashAt(workspace, repository)).toBe(sha256(bytes.content));
  });
});

describe('A publish', () => {
  it('of new bytes costs the store one call', async () => {
    service.store.forget();
    await newAddress(universalFormat, uniqueName('content'));
    expect(service.store.calls.map(({ method }) => method)).toEqual(['PUT']);
  });

  it('that is refused for other bytes stores nothing', async () => {
    const address = await newAddress(universalFormat, uniqueName('content'));
    service.store.forget();
    const other = await universalFormat.publish(service, address, 'other bytes');
    expect(other.code).toBe('VERSION_EXISTS');
    expect(service.store.calls).toEqual([]);
  });
});
