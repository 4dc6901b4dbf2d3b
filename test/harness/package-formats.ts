import { getCrate, getCrateIndex, publishCrate } from '../../functions/cargo/contracts.ts';
import { getGoFile, publishGoModule } from '../../functions/go/contracts.ts';
import { getHelmDocument, publishChart } from '../../functions/helm/contracts.ts';
import { getMavenFile, publishMavenFile } from '../../functions/maven/contracts.ts';
import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import { deletePackageVersion, listPackageVersions } from '../../functions/packages/contracts.ts';
import { getPypiDocument, publishPypiFile } from '../../functions/pypi/contracts.ts';
import { getUniversalFile, publishUniversalFile } from '../../functions/universal/contracts.ts';
import { chocolateyFormat } from '../types/chocolatey-format.ts';
import { composerFormat } from '../types/composer.ts';
import { conanFormat } from '../types/conan-format.ts';
import { debianFormat } from '../types/debian.ts';
import { gemsFormat } from '../types/gems.ts';
import { nugetFormat } from '../types/nuget-format.ts';
import { rpmFormat } from '../types/rpm.ts';
import { codeIn, publishBodyOf } from './cargo.ts';
import type { Answer } from './client.ts';
import { moduleZip } from './go.ts';
import { chartForm, chartOf, contentIn } from './helm.ts';
import { contentIn as contentOfTarball, publishBody, tarballOf } from './npm.ts';
import { type PackageFormat, paramsOf, type VersionAddress } from './package-format.ts';
import { uploadForm, zipOf } from './pypi.ts';
import { sampleOf, today } from './sampling.ts';
import type { Service } from './service.ts';

/** What the module consists of beside its go.mod. */
const inModule = /<content>([\s\S]*)<\/content>/;
const goVersion = (version: string): string => `v${version}`;
const zipPath = ({ name, version }: Pick<VersionAddress, 'name' | 'version'>): string =>
  `${name}/@v/${goVersion(version)}.zip`;

export const goFormat: PackageFormat = {
  packageType: 'go',
  nameOf: (word) => `corp.example/${word}`,
  versionOf: goVersion,
  // The zip, and the go.mod in it.
  fileCount: 2,
  publishing: publishGoModule,
  downloading: getGoFile,
  publish: async ({ client }, { as, ...address }, content) => {
    const version = goVersion(address.version);
    // Its go.mod is that of no other version.
    const files = {
      'go.mod': `module ${address.name} // ${version}\n`,
      'content.txt': `<content>${content}</content>`,
    };
    return client.attempt(publishGoModule, {
      params: paramsOf(address, zipPath(address)),
      bytes: { content: moduleZip(address.name, version, files), mediaType: 'application/zip' },
      as,
    });
  },
  download: async ({ client }, { as, ...address }) => {
    const answer = await client.attempt(getGoFile, { params: paramsOf(address, zipPath(address)), as });
    return { ...answer, text: inModule.exec(answer.text)?.[1] ?? answer.text };
  },
  versions: async ({ client }, { name, as, ...place }) => {
    const { status, text } = await client.attempt(getGoFile, { params: paramsOf(place, `${name}/@v/list`), as });
    return status === 200 ? Array.from(text.matchAll(/^v(.+)$/gm), ([, version = '']) => version) : undefined;
  },
};

const mavenPath = ({ name, version, file = 'jar' }: Pick<VersionAddress, 'name' | 'version' | 'file'>): string => {
  const [group = '', artifact = ''] = name.split(':');
  return `${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.${file}`;
};

export const mavenFormat: PackageFormat = {
  packageType: 'maven',
  nameOf: (word) => `org.acme:${word}`,
  publishing: publishMavenFile,
  downloading: getMavenFile,
  publish: async ({ client }, { as, ...address }, content) =>
    client.attempt(publishMavenFile, {
      params: paramsOf(address, mavenPath(address)),
      bytes: { content, mediaType: 'application/octet-stream' },
      as,
    }),
  download: async ({ client }, { as, ...address }) =>
    client.attempt(getMavenFile, { params: paramsOf(address, mavenPath(address)), as }),
  versions: async ({ client }, { name, as, ...place }) => {
    const path = `${name.replaceAll(/[.:]/g, '/')}/maven-metadata.xml`;
    const { status, text } = await client.attempt(getMavenFile, { params: paramsOf(place, path), as });
    return status === 200 ? Array.from(text.matchAll(/<version>([^<]*)</g), ([, version = '']) => version) : undefined;
  },
};

export const npmFormat: PackageFormat = {
  packageType: 'npm',
  publishing: publishNpmPackage,
  downloading: getNpmDocument,
  publish: async ({ client }, { name, version, as, ...place }, content) =>
    client.attempt(publishNpmPackage, {
      params: paramsOf(place, name),
      bytes: {
        content: JSON.stringify(publishBody(name, version, {}, tarballOf({ name, version }, content))),
        mediaType: 'application/json',
      },
      as,
    }),
  download: async ({ client }, { name, version, as, ...place }) => {
    const params = paramsOf(place, `${name}/-/${name}-${version}.tgz`);
    const answer = await client.attempt(getNpmDocument, { params, as });
    return { ...answer, text: contentOfTarball(answer.text) ?? answer.text };
  },
  versions: async ({ client }, { name, as, ...place }) => {
    const { status, text } = await client.attempt(getNpmDocument, { params: paramsOf(place, name), as });
    if (status !== 200) return undefined;
    return Object.keys((JSON.parse(text) as { versions: object }).versions);
  },
};

export const universalFormat: PackageFormat = {
  packageType: 'universal',
  publishing: publishUniversalFile,
  downloading: getUniversalFile,
  publish: async ({ client }, { name, version, file = 'file', as, ...place }, content) =>
    client.attempt(publishUniversalFile, {
      params: paramsOf(place, `${name}/${version}/${file}`),
      bytes: { content, mediaType: 'application/octet-stream' },
      as,
    }),
  download: async ({ client }, { name, version, file = 'file', as, ...place }) =>
    client.attempt(getUniversalFile, { params: paramsOf(place, `${name}/${version}/${file}`), as }),
  versions: async ({ client }, { workspace, repository, name, as }) => {
    const params = { workspace: workspace.id, repository: repository.id, package: name };
    const { result } = await client.attempt(listPackageVersions, { params, as });
    return result?.map(({ version }) => version);
  },
};

export const cargoFormat: PackageFormat = {
  packageType: 'cargo',
  publishing: publishCrate,
  downloading: getCrate,
  publish: async ({ client }, { name, version, as, workspace, repository }, code) => {
    const answer = await client.attempt(publishCrate, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: { content: await publishBodyOf({ name, version, code }), mediaType: 'application/octet-stream' },
      as,
    });
    // What is 201 for other types is 200 for Cargo.
    return answer.status === 200 ? { ...answer, status: 201 } : answer;
  },
  download: async ({ client }, { name, version, as, workspace, repository }) => {
    const params = { workspace: workspace.id, repository: repository.id, crate: name, version };
    const answer = await client.attempt(getCrate, { params, as });
    return { ...answer, text: codeIn(answer.text) ?? answer.text };
  },
  versions: async ({ client }, { name, as, ...place }) => {
    const path = `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
    const { status, text } = await client.attempt(getCrateIndex, { params: paramsOf(place, path), as });
    if (status !== 200) return undefined;
    return text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { vers: string }).vers);
  },
};

/** A source distribution with this content as it is, and nothing else: one blob, the same for the same content. */
const sdistOf = (content: string): Buffer => zipOf({ 'content.txt': `<content>${content}</content>` });
const inSdist = /<content>([\s\S]*)<\/content>/;

export const pypiFormat: PackageFormat = {
  packageType: 'pypi',
  publishing: publishPypiFile,
  downloading: getPypiDocument,
  publish: async ({ client }, { workspace, repository, name, version, as }, content) => {
    const answer = await client.attempt(publishPypiFile, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: uploadForm(`${name}-${version}.zip`, sdistOf(content), { name, version }),
      as,
    });
    // What the index of Python answers when it creates a file.
    return answer.status === 200 ? { ...answer, status: 201 } : answer;
  },
  download: async ({ client }, { name, version, as, ...place }) => {
    const path = `files/${name}/${version}/${name}-${version}.zip`;
    const answer = await client.attempt(getPypiDocument, { params: paramsOf(place, path), as });
    return { ...answer, text: inSdist.exec(answer.text)?.[1] ?? answer.text };
  },
  versions: async (service, { name, as, ...place }) => {
    const path = `/pypi/${place.workspace.id}/${place.repository.id}/simple/${name}/`;
    const headers = { Authorization: as, Accept: 'application/vnd.pypi.simple.v1+json' };
    const { status, text } = await service.client.sendTo(getPypiDocument, { path, headers: Object.entries(headers) });
    return status === 200 ? (JSON.parse(text) as { versions: string[] }).versions : undefined;
  },
};

export const helmFormat: PackageFormat = {
  packageType: 'helm',
  hasRepositoryIndex: true,
  publishing: publishChart,
  downloading: getHelmDocument,
  publish: async ({ client }, { workspace, repository, name, version, as }, content) =>
    client.attempt(publishChart, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: chartForm({ chart: await chartOf({ name, version, content }) }),
      as,
    }),
  download: async ({ client }, { name, version, as, ...place }) => {
    const path = `charts/${name}-${version}.tgz`;
    const answer = await client.attempt(getHelmDocument, { params: paramsOf(place, path), as });
    return { ...answer, text: contentIn(answer.text) ?? answer.text };
  },
  versions: async ({ client }, { workspace, repository, name, as }) => {
    const params = { workspace: workspace.id, repository: repository.id, path: 'index.yaml' };
    const { text } = await client.attempt(getHelmDocument, { params, as });
    const { entries } = JSON.parse(text) as { entries: Record<string, { version: string }[]> };
    return entries[name]?.map(({ version }) => version);
  },
};

/** One format for each way of an index: of each package, with entries that grow, of the whole repository, and none. */
const ofEachWay: readonly PackageFormat[] = [npmFormat, pypiFormat, helmFormat, universalFormat];

/** The formats to try with what all share. With ALL_FORMATS, which takes minutes more, they are all. */
export const packageFormats: readonly PackageFormat[] = process.env.ALL_FORMATS
  ? [
      ...ofEachWay,
      cargoFormat,
      chocolateyFormat,
      composerFormat,
      conanFormat,
      gemsFormat,
      goFormat,
      mavenFormat,
      nugetFormat,
      rpmFormat,
      debianFormat,
    ]
  : ofEachWay;

/** So many of those formats, others every day and in each turn, for what takes long with each; with ALL_FORMATS, all of them. */
export const sampledFormats = (turn: number, count = 1): readonly PackageFormat[] =>
  process.env.ALL_FORMATS ? packageFormats : sampleOf(packageFormats, today + turn, count);

/** The name of a new package. */
export const nameIn = ({ nameOf = (word) => word }: PackageFormat, word: string): string => nameOf(word);

/** Deletes a version, as every package type does. */
export const deleteVersionOf = async (
  { client }: Service,
  { versionOf = (version) => version }: PackageFormat,
  { workspace, repository, name, version, as }: VersionAddress,
): Promise<Answer> => {
  const params = { workspace: workspace.id, repository: repository.id, package: name, version: versionOf(version) };
  return client.attempt(deletePackageVersion, { params, as });
};
