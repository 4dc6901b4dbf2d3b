import type { PackageType } from '../../shared/package-types.ts';
import { type Client, pathOf } from '../harness/client.ts';
import type { PackageFormat } from '../harness/package-format.ts';
import {
  cargoFormat,
  goFormat,
  helmFormat,
  mavenFormat,
  npmFormat,
  pypiFormat,
  universalFormat,
} from '../harness/package-formats.ts';
import type { Service } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { documentedTypes, repositoryPath } from '../requests/package-documents.ts';
import { chocolateyFormat } from '../types/chocolatey-format.ts';
import { composerFormat } from '../types/composer.ts';
import { binaryFiles, md5, recipeFiles, revisionOf } from '../types/conan.ts';
import { debianFormat } from '../types/debian.ts';
import { gemsFormat } from '../types/gems.ts';
import { nugetFormat } from '../types/nuget-format.ts';
import { rpmFormat } from '../types/rpm.ts';

/** A local repository with a package of its type, and who asks. */
export interface Place {
  readonly packageType: PackageType;
  readonly workspace: Named;
  readonly local: Named;
  readonly name: string;
  readonly as: string;
}

/** What a client reads: a path below that of the repository, or one of the API where it begins with `/1/`. */
export interface Read {
  readonly path: string;
  readonly accept?: string;
  /** Set if no mirror of the tests has it. */
  readonly isLocal?: true;
}

const formats: readonly PackageFormat[] = [
  cargoFormat,
  chocolateyFormat,
  composerFormat,
  gemsFormat,
  goFormat,
  helmFormat,
  mavenFormat,
  npmFormat,
  nugetFormat,
  pypiFormat,
  rpmFormat,
  debianFormat,
  universalFormat,
];

const formatOf = (wanted: PackageType): PackageFormat | undefined =>
  formats.find(({ packageType }) => packageType === wanted);
const documentedOf = (wanted: PackageType) => documentedTypes.find(({ packageType }) => packageType === wanted);

/** All types, those first that other tests have an upstream for. */
export const readTypes: readonly PackageType[] = [...formats.map(({ packageType }) => packageType), 'docker', 'conan'];

/** The types whose local repositories the tests can mirror. */
export const mirroredTypes = readTypes.filter((type) => type !== 'docker' && type !== 'conan');

/** What a type serves beside its documents and files. */
const others: Readonly<Partial<Record<PackageType, (name: string) => readonly string[]>>> = {
  cargo: (name) => ['config.json', `api/v1/crates?q=${name}`],
  chocolatey: (name) => ['', `v3/registration/${name}/index.json`],
  conan: (name) => ['v1/ping', 'v2/users/check_credentials', `v2/conans/search?q=${name}*`],
  gems: () => ['', 'api/v1/api_key'],
  npm: () => ['-/ping', '-/whoami'],
  rpm: () => ['mirrorlist', 'a.repo'],
  nuget: (name) => [`v3/query?q=${name}`, `v3/autocomplete?q=${name}`, 'v3/vulnerabilities/index.json'],
};

/** What upstreams alone have: the checksums of Go. */
const isOfUpstreams = ({ path }: Read): boolean => path.startsWith('sumdb/');

/** Searches, of which no remote repository keeps anything. */
const isSearch = ({ path }: Read): boolean => /^(?:list|search)\.json|^v3\/(?:query|autocomplete)/.test(path);

/** The documents of a package. Those of Conan are below revisions, which `conanReads` knows. */
const documentsOf = (type: PackageType, name: string): readonly Read[] =>
  (type === 'conan' ? [] : (documentedOf(type)?.documentsOf(name) ?? []))
    .filter((read) => !isOfUpstreams(read))
    .map((read) => (isSearch(read) ? Object.assign(read, { isLocal: true } as const) : read));

/** Notes what a client asks for in place of asking. */
const notingClient = (paths: string[]): Client => {
  const client: object = {
    attempt: async (...[contract, { params }]: Parameters<Client['attempt']>) => {
      paths.push(pathOf(contract, params));
      return { status: 404, headers: {}, text: '', result: undefined, problem: undefined, code: undefined };
    },
  };
  return client as Client;
};

/** Where the client of a type finds the file of a version, below the repository. */
const filesOf = async (service: Service, { packageType, workspace, local, name, as }: Place): Promise<string[]> => {
  const paths: string[] = [];
  const noting: Service = { ...service, client: notingClient(paths) };
  const address = { workspace, repository: local, name, version: '1.0.0', as };
  await formatOf(packageType)?.download(noting, address);
  const base = repositoryPath(packageType, workspace.id, local.id);
  return paths.map((path) => path.slice(base.length));
};

const publish = async (service: Service, place: Place, version: string): Promise<void> => {
  const { packageType, workspace, local: repository, name, as } = place;
  const address = { workspace, repository, name, version, as };
  const documented = documentedOf(packageType);
  const content = uniqueName('content');
  if (documented) await documented.publish(service, address, content);
  else await formatOf(packageType)?.publish(service, address, content);
};

const revisions = { recipe: recipeFiles(), binary: binaryFiles() } as const;

/** The path of a revision of a recipe, and of a binary of it. */
const conanPaths = (name: string) => {
  const recipe = `v2/conans/${name}/1.0/_/_/revisions/${revisionOf(revisions.recipe)}`;
  const binaries = `${recipe}/packages/${md5('a binary')}`;
  return { recipe, binaries, binary: `${binaries}/revisions/${revisionOf(revisions.binary)}` };
};

const publishRecipe = async ({ runner }: Service, { workspace, local, name, as }: Place): Promise<void> => {
  const { recipe, binary } = conanPaths(name);
  const base = runner.url + repositoryPath('conan', workspace.id, local.id);
  for (const [path, files] of [[recipe, revisions.recipe] as const, [binary, revisions.binary] as const])
    for (const [file, body] of Object.entries(files)) {
      const { status } = await fetch(`${base}${path}/files/${file}`, {
        method: 'PUT',
        headers: { authorization: as },
        body,
      });
      if (status !== 201) throw new Error(`${path} was not published: ${status}`);
    }
};

const conanReads = (name: string): readonly Read[] => {
  const { recipe, binaries, binary } = conanPaths(name);
  const recipes = `v2/conans/${name}/1.0/_/_`;
  const paths = ['latest', 'revisions', 'search?list_only=False'].map((each) => `${recipes}/${each}`);
  return [...paths, `${recipe}/files`, `${recipe}/files/conanfile.py`, `${binaries}/latest`, `${binary}/files`].map(
    (path) => ({ path }),
  );
};

/** A new repository with two versions of a package. */
export const newPlace = async (service: Service, packageType: PackageType, as: string): Promise<Place> => {
  const workspace = await service.world.workspace();
  const local = await service.world.repository(workspace, undefined, packageType);
  const { nameOf = (word: string) => word } = documentedOf(packageType) ?? formatOf(packageType) ?? {};
  const place = { packageType, workspace, local, name: nameOf(uniqueName('same')), as };
  if (packageType === 'conan') await publishRecipe(service, place);
  else for (const version of ['1.0.0', '1.1.0']) await publish(service, place, version);
  return place;
};

/** All that clients of a type read of the package. */
export const readsOf = async (service: Service, place: Place): Promise<readonly Read[]> => {
  const { packageType, name } = place;
  // The mirror of the tests has no archives of Composer.
  const paths = await filesOf(service, place);
  const files: Read[] = paths.map((path) => (packageType === 'composer' ? { path, isLocal: true } : { path }));
  const more = (others[packageType]?.(name) ?? []).map((path) => ({ path, isLocal: true }) as const);
  return [...documentsOf(packageType, name), ...(packageType === 'conan' ? conanReads(name) : []), ...files, ...more];
};

/** What the API itself tells of the package and of its repository, and what npm finds, with the time. */
export const listingsOf = ({ packageType, workspace, name }: Place, repository: Named): readonly string[] => {
  const searched = packageType === 'npm' ? [`/npm/${workspace.id}/${repository.id}/-/v1/search?text=${name}`] : [];
  const base = `/1/workspaces/${workspace.id}/repositories/${repository.id}`;
  const version = `${base}/packages/${encodeURIComponent(name)}`;
  return [
    `${base}/usage`,
    `${base}/packages`,
    version,
    ...searched,
    ...['', '/1.0.0', '/1.0.0/readme'].map((path) => `${version}/versions${path}`),
  ];
};
