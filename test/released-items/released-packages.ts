import type { PackageFormat } from '../harness/package-format.ts';
import { deleteVersionOf, helmFormat, mavenFormat, nameIn, npmFormat, pypiFormat } from '../harness/package-formats.ts';
import type { Service } from '../harness/service.ts';
import { readItems, type StoredItem } from '../harness/stored-items.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

/** One format for each way in which versions are in indexes. */
export const releasedFormats = { npm: npmFormat, helm: helmFormat, maven: mavenFormat, pypi: pypiFormat } as const;
type ReleasedType = keyof typeof releasedFormats;

/** Packages as a release stored them: of each format one with the versions 1.0.0 and 3.0.0; 2.0.0 was deleted. */
export interface ReleasedPackages {
  readonly admin: Actor;
  readonly workspace: Named;
  readonly packages: Readonly<Record<ReleasedType, { readonly repository: Named; readonly name: string }>>;
  readonly items: readonly StoredItem[];
}

/** The POM of a plugin of Maven, whose prefix follows from its artifact. */
export const pluginPom = (name: string, version: string): string => {
  const [groupId, artifactId] = name.split(':');
  return `<project><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version><packaging>maven-plugin</packaging></project>`;
};

/** Publishes a version as its clients do: of Maven a plugin. */
export const publishReleased = async (
  service: Service,
  format: PackageFormat,
  address: Parameters<PackageFormat['publish']>[1],
): Promise<void> => {
  const isPlugin = format === mavenFormat;
  const content = isPlugin ? pluginPom(address.name, address.version) : `content of ${address.version}`;
  const { status, text } = await format.publish(service, { ...address, ...(isPlugin && { file: 'pom' }) }, content);
  if (status !== 201) throw new Error(`${address.name} was not published: ${text}`);
};

/** Builds those packages through the API. */
export const buildReleasedPackages = async (service: Service): Promise<ReleasedPackages> => {
  const admin = await service.world.systemAdmin();
  const workspace = await service.world.workspace();
  const built = Object.entries(releasedFormats).map(async ([type, format]) => {
    const repository = await service.world.repository(workspace, undefined, format.packageType);
    const name = nameIn(format, format === mavenFormat ? `${uniqueName('x')}-maven-plugin` : uniqueName('package'));
    const address = { workspace, repository, name, as: admin.bearer };
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await publishReleased(service, format, { ...address, version });
    await deleteVersionOf(service, format, { ...address, version: '2.0.0' });
    return [type, { repository: { id: repository.id, name: repository.name }, name }] as const;
  });
  const packages = Object.fromEntries(await Promise.all(built)) as ReleasedPackages['packages'];
  return { admin, workspace: { id: workspace.id, name: workspace.name }, packages, items: await readItems() };
};
