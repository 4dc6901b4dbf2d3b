import { checkVersion, getPackage, listPackageVersions } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { deleteVerdict, updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { digestOf, newImage, type TestImage, useImages } from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { putImage, useRegistry } from './image-registry.ts';

const service = useService();
const images = useImages(service);
const upstream = useUpstream();
const { content, remote } = useRegistry(service, images, upstream);

const onName = (name: string) => ({
  params: { workspace: images.setting.workspace.id, packageType: 'docker', package: name },
  as: images.setting.admin.bearer,
});
const decide = async (verdict: 'block' | 'allow', name: string, ...versions: string[]): Promise<void> => {
  const body = { verdict, versions, reason: 'A miner is in it' };
  await service.client.succeed(updateVerdict, { ...onName(name), body });
};
const forget = async (name: string): Promise<void> => {
  await service.client.succeed(deleteVerdict, onName(name));
};

/** An image of the upstream with two tags of one manifest, and a third one of another. */
const newContent = (name: string = uniqueName('web')) => {
  const image: TestImage = { ...newImage(), layers: [uniqueName('layer')] };
  const manifest = putImage(content, name, '1.0', image);
  putImage(content, name, 'latest', image);
  const other = putImage(content, name, '2.0', newImage());
  return { name, digest: digestOf(manifest), other: digestOf(other), layer: digestOf(image.layers[0] ?? '') };
};

const statusOf = async (path: string, repository: Named): Promise<number> =>
  (await images.get(path, { repository })).status;
/** The same by HEAD, whose refusal has no body. */
const headOf = async (path: string, repository: Named): Promise<number> => {
  const headers = [['Authorization', images.setting.admin.bearer]] as const;
  return (await service.client.raw({ method: 'HEAD', path: `${images.base(repository)}/${path}`, headers })).status;
};
/** The statuses of manifests, by GET and HEAD, which are the same. */
const pulls = async (repository: Named, name: string, ...references: readonly string[]): Promise<readonly number[]> => {
  const found: number[] = [];
  for (const reference of references) {
    const path = `${name}/manifests/${reference}`;
    const status = await statusOf(path, repository);
    expect(await headOf(path, repository)).toBe(status);
    found.push(status);
  }
  return found;
};
const tagsOf = async (repository: Named, name: string): Promise<unknown> =>
  (JSON.parse((await images.get(`${name}/tags/list`, { repository })).text) as { tags: unknown }).tags;

describe('An image of a remote repository that a verdict blocks', () => {
  itAnswers(
    '403 VERSION_BLOCKED by its digest and each tag that leads to it, kept or not, also through a virtual one',
    async () => {
      const { name, digest } = newContent();
      const [kept, fresh] = [await remote(), await remote({ isRemoteCacheEnabled: false })];
      expect(await pulls(kept, name, '1.0', digest)).toEqual([200, 200]);
      await decide('block', name, digest);
      const virtual = await createVirtual(service, images.setting.workspace, [kept], { packageType: 'docker' });
      for (const repository of [kept, fresh, virtual]) {
        expect(await pulls(repository, name, '1.0', 'latest', digest, '2.0')).toEqual([403, 403, 403, 200]);
        expect(await tagsOf(repository, name)).toEqual(['1.0', '2.0', 'latest']);
      }
      const answer = await images.get(`${name}/manifests/1.0`, { repository: kept });
      expect(JSON.parse(answer.text)).toMatchObject({
        errors: [
          {
            code: 'DENIED',
            message: expect.stringContaining(
              `${name} 1.0 is blocked: the verdict on '${name}' says: A miner is in it.`,
            ),
          },
        ],
      });
      await forget(name);
      expect(await pulls(kept, name, '1.0', digest)).toEqual([200, 200]);
      return answer;
    },
  );

  it('is refused by a tag alone, which is in no list', async () => {
    const { name, digest } = newContent();
    const repository = await remote();
    await decide('block', name, 'latest');
    expect(await pulls(repository, name, 'latest', '1.0', digest)).toEqual([403, 200, 200]);
    expect(await tagsOf(repository, name)).toEqual(['1.0', '2.0']);
  });

  it('is refused as a whole with its layers, by its name or the beginning of it', async () => {
    const { name, digest, layer } = newContent();
    const repository = await remote();
    expect(await statusOf(`${name}/blobs/${layer}`, repository)).toBe(200);
    for (const entry of [name, `${name.slice(0, -1)}*`]) {
      await decide('block', entry, '*');
      expect(await pulls(repository, name, '1.0', digest)).toEqual([403, 403]);
      expect(await tagsOf(repository, name)).toEqual([]);
      const layers = await images.get(`${name}/blobs/${layer}`, { repository });
      expect([layers.status, layers.text]).toEqual([403, expect.stringContaining(`${name} ${layer} is blocked:`)]);
      await forget(entry);
    }
  });

  it('is no blob, either: a digest is refused at the address of blobs, whatever else is allowed', async () => {
    const { name, digest, layer } = newContent();
    content.blobs.set(`${name}@${digest}`, Buffer.from(content.manifests.get(`${name}@${digest}`) ?? ''));
    const repository = await remote();
    const blobs = async () => [
      await statusOf(`${name}/blobs/${digest}`, repository),
      await headOf(`${name}/blobs/${digest}`, repository),
      await statusOf(`${name}/blobs/${layer}`, repository),
    ];
    expect(await blobs()).toEqual([200, 200, 200]);
    await decide('block', name, digest);
    expect(await blobs()).toEqual([403, 403, 200]);
    await decide('block', name, layer);
    expect(await blobs()).toEqual([200, 200, 403]);
    await decide('allow', name, '2.0');
    await decide('block', `${name}*`, digest, layer);
    expect(await blobs()).toEqual([403, 403, 403]);
    await forget(`${name}*`);
  });

  it('cannot be mounted into a local repository, also through a virtual one', async () => {
    const { name, layer } = newContent();
    const [source, target] = [
      await remote(),
      await service.world.repository(images.setting.workspace, undefined, 'docker'),
    ];
    const virtual = await createVirtual(service, images.setting.workspace, [source], { packageType: 'docker' });
    expect(await statusOf(`${name}/blobs/${layer}`, source)).toBe(200);
    const mounts = async (image: string) => {
      const statuses: number[] = [];
      for (const from of [source, virtual]) {
        const path = `${image}/blobs/uploads/?mount=${layer}&from=${images.setting.workspace.name}/${from.name}/${name}`;
        statuses.push((await images.send('POST', path, { repository: target })).status);
      }
      return statuses;
    };
    for (const versions of [['*'], [layer]]) {
      await decide('block', name, ...versions);
      expect(await mounts('blocked')).toEqual([202, 202]);
      expect(await statusOf(`blocked/blobs/${layer}`, target)).toBe(404);
    }
    await forget(name);
    expect(await mounts('open')).toEqual([201, 201]);
  });

  it('leaves what is allowed of an image that is blocked otherwise', async () => {
    const { name, digest, other, layer } = newContent();
    const repository = await remote();
    const beginning = `${name.slice(0, -1)}*`;
    await decide('block', beginning, '*');
    await decide('allow', name, '1.0');
    expect(await pulls(repository, name, '1.0', digest, 'latest', '2.0')).toEqual([200, 403, 403, 403]);
    await decide('allow', name, digest);
    expect(await pulls(repository, name, '1.0', digest, 'latest', '2.0', other)).toEqual([200, 200, 200, 403, 403]);
    expect(await statusOf(`${name}/blobs/${layer}`, repository)).toBe(200);
    await forget(beginning);
  });

  it('has both names that it has at Docker Hub', async () => {
    const short = uniqueName('web');
    const { name } = newContent(`library/${short}`);
    newContent(short);
    const repository = await remote();
    for (const entry of [short, name, 'library/*']) {
      await decide('block', entry, '1.0');
      const blocked = [await pulls(repository, name, '1.0', '2.0'), await pulls(repository, short, '1.0', '2.0')];
      expect([entry, blocked]).toEqual([
        entry,
        [
          [403, 200],
          [403, 200],
        ],
      ]);
      await forget(entry);
    }
  });

  it('is not among the referrers of another one', async () => {
    const { name, digest } = newContent();
    const [shown, blocked] = ['a', 'b'].map((letter) => digestOf(uniqueName(letter)));
    const manifests = [shown, blocked].map((each) => ({
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      digest: each,
      size: 2,
    }));
    const registry = upstream.answer;
    upstream.answer = (request, response) =>
      request.url?.includes('/referrers/')
        ? response.writeHead(200).end(JSON.stringify({ schemaVersion: 2, manifests }))
        : registry(request, response);
    await decide('block', name, String(blocked));
    const { text } = await images.get(`${name}/referrers/${digest}`, { repository: await remote() });
    expect((JSON.parse(text) as { manifests: { digest: string }[] }).manifests.map((each) => each.digest)).toEqual([
      shown,
    ]);
  });

  it('is none that a local repository has, which is asked after it', async () => {
    const { name, digest } = newContent();
    const source = await remote();
    const local = await service.world.repository(images.setting.workspace, undefined, 'docker');
    await images.push(name, '1.0', newImage(), { repository: local });
    await decide('block', name, '*');
    const virtual = await createVirtual(service, images.setting.workspace, [source, local], { packageType: 'docker' });
    const params = { workspace: images.setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { allow: [name] } };
    await service.client.succeed(updateRepository, { params, body, as: images.setting.admin.bearer });
    expect(await pulls(virtual, name, '1.0', '2.0', digest)).toEqual([200, 403, 403]);
    expect(await tagsOf(virtual, name)).toEqual(['1.0']);
  });

  it('is no failure of its upstream, where another one has the tag of another image', async () => {
    const { name, digest } = newContent();
    const other = putImage(content, `other/${name}`, '1.0', newImage());
    const remotes = [await remote(), await remote({ remoteRepositoryUrl: `${upstream.url}/other` })];
    const repository = await createVirtual(service, images.setting.workspace, remotes, { packageType: 'docker' });
    await decide('block', name, digest);
    const { text, headers } = await images.get(`${name}/manifests/1.0`, { repository });
    expect([text, headers.warning]).toEqual([other, undefined]);
  });

  it('is told of by a check, and in the list of what is kept', async () => {
    const { name, digest, other } = newContent();
    const repository = await remote();
    await pulls(repository, name, '1.0', '2.0');
    await decide('block', name, digest, 'latest');
    const place = { workspace: images.setting.workspace.id, repository: repository.id };
    const as = images.setting.admin.bearer;
    const check = async (version: string) =>
      (await service.client.succeed(checkVersion, { params: place, body: { packageName: name, version }, as }))
        .repositories;
    expect(await check(digest)).toMatchObject([{ decision: 'blocked', rule: 'verdict', isEnforced: true }]);
    expect(await check('latest')).toMatchObject([{ decision: 'blocked' }]);
    expect(await check('2.0')).toMatchObject([{ decision: 'passes', rule: null }]);
    const versions = await service.client.succeed(listPackageVersions, { params: { ...place, package: name }, as });
    const gates = new Map(versions.map(({ version, gate }) => [version, gate?.state ?? null]));
    expect([gates.size, gates.get(digest), gates.get(other)]).toEqual([2, 'blocked', null]);
  });

  it('is told of in the record of the image, by each of its names, also through a virtual repository', async () => {
    const short = uniqueName('web');
    const { name, digest, other } = newContent(`library/${short}`);
    const repository = await remote();
    const virtual = await createVirtual(service, images.setting.workspace, [repository], { packageType: 'docker' });
    await pulls(repository, name, '1.0', '2.0');
    const held = async () => {
      const place = { workspace: images.setting.workspace.id, package: name };
      const [found, through] = await Promise.all(
        [repository, virtual].map(async ({ id }) => {
          const params = { ...place, repository: id };
          return (await service.client.succeed(getPackage, { params, as: images.setting.admin.bearer })).heldVersions;
        }),
      );
      expect(through).toEqual(found);
      for (const one of found ?? [])
        expect(one).toMatchObject({ repositoryName: repository.name, state: 'blocked', rule: 'verdict' });
      return found?.map(({ version }) => version).toSorted();
    };
    expect(await held()).toEqual([]);
    for (const entry of [name, short]) {
      await decide('block', entry, digest, 'latest');
      expect([entry, await held()]).toEqual([entry, ['latest', digest]]);
      await decide('block', entry, '*');
      expect([entry, await held()]).toEqual([entry, [digest, other].toSorted()]);
      await forget(entry);
    }
    expect(await held()).toEqual([]);
  });

  it('is told of by the check of a tag that leads to it, as it is pulled by it', async () => {
    const { name, digest } = newContent();
    const repository = await remote();
    const params = { workspace: images.setting.workspace.id, repository: repository.id };
    const as = images.setting.admin.bearer;
    const checks = async () => {
      const found: unknown[] = [];
      for (const version of ['1.0', 'latest', '2.0', 'none']) {
        const body = { packageName: name, version };
        const { repositories } = await service.client.succeed(checkVersion, { params, body, as });
        found.push(...repositories.map(({ decision }) => decision));
      }
      return found;
    };
    expect(await checks()).toEqual(['passes', 'passes', 'passes', 'passes']);
    await decide('block', name, digest);
    expect(await pulls(repository, name, '1.0', 'latest', '2.0', 'none')).toEqual([403, 403, 200, 404]);
    expect(await checks()).toEqual(['blocked', 'blocked', 'passes', 'passes']);
    await decide('block', name, '1.0');
    expect(await checks()).toEqual(['blocked', 'passes', 'passes', 'passes']);
    await decide('block', `${name.slice(0, -1)}*`, '*');
    await decide('allow', name, digest);
    expect(await pulls(repository, name, '1.0', 'latest', '2.0')).toEqual([200, 200, 403]);
    expect(await checks()).toEqual(['passes', 'passes', 'blocked', 'blocked']);
    await forget(`${name.slice(0, -1)}*`);
  });

  it('is told of by any of the names that it has at Docker Hub', async () => {
    const short = uniqueName('web');
    const { name, digest, other } = newContent(`library/${short}`);
    const repository = await remote();
    await pulls(repository, name, '1.0', '2.0');
    const place = { workspace: images.setting.workspace.id, repository: repository.id };
    const as = images.setting.admin.bearer;
    for (const [entry, asked] of [
      [short, name],
      [name, short],
    ] as const) {
      await decide('block', entry, digest);
      const decisions = Array.from([digest, other], async (version) => {
        const body = { packageName: asked, version };
        const { repositories } = await service.client.succeed(checkVersion, { params: place, body, as });
        return repositories.map(({ decision }) => decision);
      });
      expect([entry, await Promise.all(decisions)]).toEqual([entry, [['blocked'], ['passes']]]);
      const versions = await service.client.succeed(listPackageVersions, { params: { ...place, package: name }, as });
      const gates = new Map(versions.map(({ version, gate }) => [version, gate?.state ?? null]));
      expect([entry, gates.get(digest), gates.get(other)]).toEqual([entry, 'blocked', null]);
      await forget(entry);
    }
  });
});
