import { createAdvisoryImport, getAdvisoryImport } from '../../functions/advisories/contracts.ts';
import { createUpload } from '../../functions/packages/contracts.ts';
import type { PackageType } from '../../shared/package-types.ts';
import type { Service } from '../harness/service.ts';
import { announced, putUpload } from '../harness/uploads.ts';
import type { Actor, Named } from '../harness/world.ts';
import { zipOf } from '../harness/zips.ts';

/** An entry of osv.dev about all versions of a package of npm, but for these fields. */
export const osvEntry = (id: string, name: string, fields: object = {}, affected: object = {}) => ({
  id,
  modified: '2026-01-01T00:00:00Z',
  summary: `Malicious code in ${name}`,
  affected: [
    {
      package: { ecosystem: 'npm', name },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
      ...affected,
    },
  ],
  ...fields,
});

export type TestEntry = { readonly id: string } & Readonly<Record<string, unknown>>;

/** An archive of entries as osv.dev has one. */
export const archiveOf = (entries: readonly TestEntry[]): Buffer =>
  zipOf(entries.map((entry) => ({ path: `${entry.id}.json`, content: JSON.stringify(entry) })));

/** Who imports, and from where. */
export interface ImportWorld {
  readonly service: Service;
  readonly workspace: Named;
  readonly repository: Named;
  readonly admin: Actor;
}

/** Where a suite imports from: a workspace, a repository and a System Admin of its own. */
export const useImportWorld = (service: Service): ImportWorld => {
  const world: Partial<ImportWorld> = { service };
  beforeAll(async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, undefined, 'universal');
    Object.assign(world, { workspace, repository, admin: await service.world.systemAdmin() });
  });
  return world as ImportWorld;
};

/** Sends an archive into an upload session. */
export const uploadArchive = async ({ service, workspace, repository, admin }: ImportWorld, archive: Uint8Array) => {
  const session = await service.client.succeed(createUpload, {
    params: { workspace: workspace.id, repository: repository.id },
    body: { packageName: 'advisories', packageVersion: '1.0.0', files: [announced('all.zip', archive)] },
    as: admin.bearer,
  });
  const [file] = session.files;
  expect((file && (await putUpload(file, archive)))?.status).toBe(200);
  return session.id;
};

/** Looks at an import until it has ended. */
export const endOf = async ({ service, admin }: ImportWorld, id: string) => {
  for (;;) {
    const found = await service.client.succeed(getAdvisoryImport, { params: { import: id }, as: admin.bearer });
    if (found.state !== 'running') return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Imports an archive, and returns the import as it ended. */
export const importArchive = async (
  world: ImportWorld,
  archive: Uint8Array,
  fields: { readonly packageType?: PackageType; readonly allowsFewerEntries?: boolean } = {},
) => {
  const { id } = await world.service.client.succeed(createAdvisoryImport, {
    body: { packageType: 'npm', upload: await uploadArchive(world, archive), ...fields },
    as: world.admin.bearer,
  });
  return endOf(world, id);
};
