import { getCrateIndex } from '../../functions/cargo/contracts.ts';
import { getChocolateyDocument } from '../../functions/chocolatey/contracts.ts';
import { getComposerDocument, getComposerList, getComposerSearch } from '../../functions/composer/contracts.ts';
import { getConanDocument, getConanSearch } from '../../functions/conan/contracts.ts';
import { getDebianDocument } from '../../functions/debian/contracts.ts';
import { getImageContent } from '../../functions/docker/contracts.ts';
import { getGemsDocument } from '../../functions/gems/contracts.ts';
import { getGoFile } from '../../functions/go/contracts.ts';
import { getHelmDocument } from '../../functions/helm/contracts.ts';
import { getMavenFile, publishMavenFile } from '../../functions/maven/contracts.ts';
import { getDistTags, getNpmDocument } from '../../functions/npm/contracts.ts';
import { getNugetCompletion, getNugetDocument, getNugetSearch } from '../../functions/nuget/contracts.ts';
import { getPypiDocument, getPypiProject } from '../../functions/pypi/contracts.ts';
import { getRpmDocument } from '../../functions/rpm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { checksumsOfGo } from '../harness/go.ts';
import { digestOf, imageMediaType, imagesOf, newImage } from '../harness/images.ts';
import { type PackageFormat, paramsOf, type VersionAddress } from '../harness/package-format.ts';
import { cargoFormat, goFormat, helmFormat, npmFormat, pypiFormat } from '../harness/package-formats.ts';
import type { Service } from '../harness/service.ts';
import { chocolateyFormat } from '../types/chocolatey-format.ts';
import { composerFormat } from '../types/composer.ts';
import { recipePath } from '../types/conan.ts';
import { conanFormat, revisionPath } from '../types/conan-format.ts';
import { debianFormat } from '../types/debian.ts';
import { gemsFormat } from '../types/gems.ts';
import { nugetFormat } from '../types/nuget-format.ts';
import { rpmFormat } from '../types/rpm.ts';

/** A document about a package: its path below the repository, and the form that a client wants. */
export interface PackageDocument {
  readonly contract: Contract;
  readonly path: string;
  readonly accept?: string;
}

/** All documents that clients of a package type read about one package, and how a repository comes to have it. */
export interface DocumentedType {
  readonly packageType: PackageType;
  readonly nameOf: (word: string) => string;
  /** What `upstreamNames` calls the package and all that its documents mention. By default, it is the name. */
  readonly ruleOf?: (name: string) => string;
  readonly publish: (service: Service, address: VersionAddress, content: string) => Promise<void>;
  readonly documentsOf: (name: string) => readonly PackageDocument[];
  /** Set if the tests have no upstream of this type that mirrors a repository. */
  readonly hasNoMirror?: true;
}

const ofFormat = ({ packageType, nameOf = (word) => word, publish }: PackageFormat) => ({
  packageType,
  nameOf,
  publish: async (service: Service, address: VersionAddress, content: string): Promise<void> => {
    const { status, text } = await publish(service, address, content);
    if (status !== 201) throw new Error(`${packageType} was not published: ${text}`);
  },
});

/** A type whose packages are in one document about the whole repository. */
const indexedIn = (format: PackageFormat, contract: Contract, path: string): DocumentedType => ({
  ...ofFormat(format),
  documentsOf: () => [{ contract, path }],
});

const npm: DocumentedType = {
  ...ofFormat(npmFormat),
  documentsOf: (name) => [
    { contract: getNpmDocument, path: name },
    { contract: getNpmDocument, path: name, accept: 'application/vnd.npm.install-v1+json' },
    { contract: getNpmDocument, path: `${name}?write=true` },
    { contract: getNpmDocument, path: `${name}/1.0.0` },
    { contract: getNpmDocument, path: `${name}/latest` },
    { contract: getDistTags, path: `-/package/${name}/dist-tags` },
  ],
};

const pypi: DocumentedType = {
  ...ofFormat(pypiFormat),
  documentsOf: (name) => [
    ...['text/html', 'application/vnd.pypi.simple.v1+json'].flatMap((accept) => [
      { contract: getPypiDocument, path: `simple/${name}/`, accept },
      { contract: getPypiDocument, path: 'simple/', accept },
    ]),
    { contract: getPypiProject, path: `pypi/${name}/json` },
    { contract: getPypiProject, path: `pypi/${name}/1.0.0/json` },
  ],
};

const go: DocumentedType = {
  ...ofFormat(goFormat),
  documentsOf: (name) =>
    [
      ...['@v/list', '@latest', '@v/v1.0.0.info', '@v/v1.0.0.mod'].map((file) => `${name}/${file}`),
      ...Object.keys(checksumsOfGo),
    ].map((path) => ({ contract: getGoFile, path })),
};

const cargo: DocumentedType = {
  ...ofFormat(cargoFormat),
  documentsOf: (name) => [{ contract: getCrateIndex, path: `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}` }],
};

const composer: DocumentedType = {
  ...ofFormat(composerFormat),
  documentsOf: (name) => [
    { contract: getComposerDocument, path: `p2/${name}.json` },
    { contract: getComposerDocument, path: `p2/${name}~dev.json` },
    { contract: getComposerDocument, path: 'packages.json' },
    { contract: getComposerList, path: 'list.json' },
    { contract: getComposerSearch, path: `search.json?q=${name}` },
  ],
};

const conan: DocumentedType = {
  ...ofFormat(conanFormat),
  documentsOf: (name) => {
    const [recipe, revision] = [recipePath(name, '1.0.0'), revisionPath({ name, version: '1.0.0' })];
    const paths = [`${recipe}/latest`, `${recipe}/revisions`, `${revision}/files`, `${revision}/search`];
    return [
      ...paths.map((path) => ({ contract: getConanDocument, path: `v2/conans/${path}` })),
      { contract: getConanSearch, path: `v2/conans/search?q=${name}/*` },
    ];
  },
};

const gems: DocumentedType = {
  ...ofFormat(gemsFormat),
  documentsOf: (name) =>
    [`info/${name}`, 'versions', 'names', 'specs.4.8.gz'].map((path) => ({ contract: getGemsDocument, path })),
};

const nuget: DocumentedType = {
  ...ofFormat(nugetFormat),
  documentsOf: (name) => [
    ...['flat/index.json', 'registration/index.json', 'registration/1.0.0.json'].map((path) => ({
      contract: getNugetDocument,
      path: `v3/${path.replace('/', `/${name}/`)}`,
    })),
    { contract: getNugetDocument, path: 'v3/index.json' },
    { contract: getNugetSearch, path: `v3/query?q=${name}` },
    { contract: getNugetCompletion, path: `v3/autocomplete?id=${name}` },
  ],
};

const chocolatey: DocumentedType = {
  ...ofFormat(chocolateyFormat),
  documentsOf: (name) =>
    [
      `FindPackagesById()?id='${name}'`,
      `Packages(Id='${name}',Version='1.0.0')`,
      `Packages()?$filter=(tolower(Id)%20eq%20'${name.toLowerCase()}')%20and%20IsLatestVersion`,
      `FindPackagesById()/$count?id='${name}'`,
    ].map((path) => ({ contract: getChocolateyDocument, path })),
};

/** Each kind of metadata with the checksums to ask for, beside the document itself. */
const allChecksums = ['.md5', '.sha1', '.sha256', '.sha512'];
const metadataKinds: Readonly<Record<string, readonly string[]>> = {
  '': ['.sha1'],
  'app/': allChecksums,
  'app/1.0-SNAPSHOT/': ['.md5'],
  'app/1.1-SNAPSHOT/': ['.md5', '.sha512'],
};

const groupOf = (name: string): string => name.split(':')[0] ?? '';
const folderOf = (name: string): string => groupOf(name).replaceAll('.', '/');

/** A release, builds of two SNAPSHOT versions, and two plugins: one that others publish, too, and one that only this version has. */
const mavenFiles = ({ name, version }: VersionAddress, content: string): Readonly<Record<string, string>> => {
  const [group, digits] = [groupOf(name), version.replaceAll('.', '').padStart(6, '0')];
  const pomOf = (plugin: string): string =>
    `<project><groupId>${group}</groupId><artifactId>${plugin}</artifactId><version>${version}</version><name>${content}</name><packaging>maven-plugin</packaging></project>`;
  const plugins = ['demo', `own-${digits}`].map((word) => `${word}-maven-plugin`);
  return {
    [`app/${version}/app-${version}.jar`]: content,
    ...Object.fromEntries(
      ['1.0', '1.1'].map((each) => [`app/${each}-SNAPSHOT/app-${each}-20260101.${digits}-1.jar`, content]),
    ),
    ...Object.fromEntries(plugins.map((each) => [`${each}/${version}/${each}-${version}.pom`, pomOf(each)])),
  };
};

const maven: DocumentedType = {
  packageType: 'maven',
  nameOf: (word) => `org.${word}:app`,
  ruleOf: (name) => `${groupOf(name)}:*`,
  publish: async ({ client }, address, content) => {
    for (const [path, text] of Object.entries(mavenFiles(address, content))) {
      const answer = await client.attempt(publishMavenFile, {
        params: paramsOf(address, `${folderOf(address.name)}/${path}`),
        bytes: { content: text, mediaType: 'application/octet-stream' },
        as: address.as,
      });
      if (answer.status !== 201) throw new Error(`${path} was not published: ${answer.text}`);
    }
  },
  documentsOf: (name) =>
    Object.entries(metadataKinds).flatMap(([folder, checksums]) =>
      ['', ...(process.env.ALL_FORMATS ? allChecksums : checksums)].map((ending) => ({
        contract: getMavenFile,
        path: `${folderOf(name)}/${folder}maven-metadata.xml${ending}`,
      })),
    ),
};

/** What all signatures of an image are about. */
const signedOf = (name: string) => ({ mediaType: imageMediaType, digest: digestOf(name), size: 1 });

const docker: DocumentedType = {
  packageType: 'docker',
  nameOf: (word) => word,
  hasNoMirror: true,
  publish: async (service, { name, version, ...place }, content) => {
    const { workspace, repository, as } = place;
    const setting = { workspace: { name: workspace.id }, repository: { name: repository.id }, admin: { bearer: as } };
    const images = imagesOf(service, setting);
    await images.push(name, version, { ...newImage(), config: JSON.stringify({ content }) });
    const signature = { ...newImage(), config: JSON.stringify({ signature: content }) };
    await images.push(name, `signature-${version}`, signature, {}, { subject: signedOf(name) });
  },
  documentsOf: (name) =>
    ['tags/list', 'tags/list?n=1', 'manifests/1.0.0', `referrers/${signedOf(name).digest}`].map((path) => ({
      contract: getImageContent,
      path: `${name}/${path}`,
    })),
};

export const documentedTypes: readonly DocumentedType[] = [
  npm,
  maven,
  pypi,
  go,
  indexedIn(helmFormat, getHelmDocument, 'index.yaml'),
  cargo,
  composer,
  conan,
  chocolatey,
  gems,
  nuget,
  indexedIn(rpmFormat, getRpmDocument, 'repodata/repomd.xml'),
  indexedIn(debianFormat, getDebianDocument, 'dists/stable/InRelease'),
  docker,
];

/** Where clients of a type find a repository, whose workspace and name are given as they are written. */
export const repositoryPath = (packageType: PackageType, workspace: string, repository: string): string =>
  `/${packageType === 'docker' ? 'v2' : packageType}/${workspace}/${repository}/`;
