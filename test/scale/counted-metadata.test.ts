import { addYank, removeYank } from '../../functions/cargo/contracts.ts';
import { getNpmDocument, publishNpmPackage, updateDistTag } from '../../functions/npm/contracts.ts';
import { createUpload, getRepositoryUsage, getWorkspaceUsage } from '../../functions/packages/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import type { PackageFormat } from '../harness/package-format.ts';
import { cargoFormat, nameIn, npmFormat } from '../harness/package-formats.ts';
import { createVirtual } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { announced } from '../harness/uploads.ts';
import { type Named, uniqueName } from '../harness/world.ts';

const service = useService();
let as: string;
beforeAll(async () => {
  as = (await service.world.systemAdmin()).bearer;
});

const repositoryWith = async (format: PackageFormat, versions: readonly string[], workspace?: Named) => {
  const home = workspace ?? (await service.world.workspace());
  const repository = await service.world.repository(home, undefined, format.packageType);
  const name = nameIn(format, uniqueName('counted'));
  for (const version of versions) {
    const address = { workspace: home, repository, name, version, as };
    expect((await format.publish(service, address, 'content')).status).toBe(201);
  }
  return { workspace: home, repository, name, params: { workspace: home.id, repository: repository.id } };
};

const usageOf = async ({ id }: Named) => service.client.succeed(getWorkspaceUsage, { params: { workspace: id }, as });

/** What counts towards the storage limit of a workspace. */
const counted = async (workspace: Named): Promise<number> => {
  const { bytes, metadataBytes, openUploadBytes } = await usageOf(workspace);
  return bytes + metadataBytes + openUploadBytes;
};

const limit = async ({ id }: Named, storageLimit: number): Promise<unknown> =>
  service.client.succeed(updateWorkspace, { params: { workspace: id }, body: { storageLimit }, as });

describe('A change of the metadata of a version that makes them longer', () => {
  it('is refused beyond the storage limit, as the deprecation of npm; a shorter one and a tag are not', async () => {
    const { workspace, params, name } = await repositoryWith(npmFormat, ['1.0.0']);
    const at = { params: { ...params, path: name }, as };
    const document = async () =>
      JSON.parse((await service.client.attempt(getNpmDocument, at)).text) as {
        versions: Record<string, { deprecated?: string }>;
      };
    const deprecate = async (deprecated: string) => {
      const { versions, ...rest } = await document();
      const content = JSON.stringify({ ...rest, versions: { '1.0.0': { ...versions['1.0.0'], deprecated } } });
      return service.client.attempt(publishNpmPackage, { ...at, bytes: { content, mediaType: 'application/json' } });
    };
    expect((await deprecate('x'.repeat(200))).status).toBe(201);
    const before = await counted(workspace);
    await limit(workspace, before + 50);
    const refused = await deprecate('y'.repeat(300));
    expect([refused.status, refused.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    expect(refused.problem?.detail).toContain(`${before} of ${before + 50} bytes are used`);
    expect((await document()).versions['1.0.0']?.deprecated).toBe('x'.repeat(200));
    expect(await counted(workspace)).toBe(before);
    await limit(workspace, 0);
    const tag = { ...params, path: `${name}/dist-tags/next` };
    const bytes = { content: '"1.0.0"', mediaType: 'application/json' };
    expect((await service.client.attempt(updateDistTag, { params: tag, bytes, as })).status).toBe(201);
    expect((await deprecate('shorter')).status).toBe(201);
    expect(await counted(workspace)).toBeLessThan(before);
  });

  it('is refused beyond it for crates, too, of which yanking one makes its line shorter', async () => {
    const { workspace, params, name } = await repositoryWith(cargoFormat, ['1.0.0']);
    const before = await counted(workspace);
    await limit(workspace, before - 1);
    const version = { params: { ...params, crate: name, version: '1.0.0' }, as };
    expect((await service.client.attempt(addYank, version)).status).toBe(200);
    expect(await counted(workspace)).toBe(before - 1);
    const refused = await service.client.attempt(removeYank, version);
    expect([refused.status, refused.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    await limit(workspace, before);
    expect((await service.client.attempt(removeYank, version)).status).toBe(200);
  });
});

describe('The usage', () => {
  it('has what counts towards the limit: files, metadata of versions and open uploads', async () => {
    const { workspace, repository, params } = await repositoryWith(npmFormat, ['1.0.0', '2.0.0']);
    const other = await repositoryWith(npmFormat, ['1.0.0'], workspace);
    const usageIn = async (each: Named) =>
      service.client.succeed(getRepositoryUsage, { params: { ...params, repository: each.id }, as });
    const [one, two] = [await usageIn(repository), await usageIn(other.repository)];
    expect(one.metadataBytes).toBeGreaterThan(two.metadataBytes);
    expect(two.metadataBytes).toBeGreaterThan(100);
    const sum = {
      bytes: one.bytes + two.bytes,
      files: 3,
      packages: 2,
      metadataBytes: one.metadataBytes + two.metadataBytes,
    };
    expect(await usageIn(await createVirtual(service, workspace, [repository, other.repository]))).toEqual(sum);
    expect(await usageOf(workspace)).toEqual({ ...sum, openUploadBytes: 0 });
    const body = { files: [announced('package-1.0.0.tgz', 'x'.repeat(700))] };
    await service.client.succeed(createUpload, { params, body, as });
    expect(await usageOf(workspace)).toEqual({ ...sum, openUploadBytes: 700 });
    const used = sum.bytes + sum.metadataBytes + 700;
    await limit(workspace, used + 699);
    const refused = await service.client.attempt(createUpload, { params, body, as });
    expect(refused.problem?.detail).toContain(`${used} of ${used + 699} bytes are used, and 700 more were sent.`);
    await limit(workspace, used + 700);
    await service.client.succeed(createUpload, { params, body, as });
  });
});
