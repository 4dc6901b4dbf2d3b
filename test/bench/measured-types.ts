import { getCrate, getCrateIndex, publishCrate } from '../../functions/cargo/contracts.ts';
import { indexPathOf } from '../../functions/cargo/names.ts';
import { getChocolateyDocument, publishChocolateyPackage } from '../../functions/chocolatey/contracts.ts';
import { getComposerDocument, publishComposerPackage } from '../../functions/composer/contracts.ts';
import { getConanDocument, getConanSearch, publishConanFile } from '../../functions/conan/contracts.ts';
import { getDebianDocument, publishDebianPackage } from '../../functions/debian/contracts.ts';
import { getGemsDocument, publishGem } from '../../functions/gems/contracts.ts';
import { getGoFile, publishGoModule } from '../../functions/go/contracts.ts';
import { getHelmDocument, publishChart } from '../../functions/helm/contracts.ts';
import { getMavenFile, publishMavenFile } from '../../functions/maven/contracts.ts';
import { getNugetDocument, publishNugetPackage } from '../../functions/nuget/contracts.ts';
import { getPypiDocument, publishPypiFile } from '../../functions/pypi/contracts.ts';
import { getRpmDocument, publishRpmPackage } from '../../functions/rpm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { publishBodyOf } from '../harness/cargo.ts';
import { moduleZip } from '../harness/go.ts';
import { chartForm, chartOf } from '../harness/helm.ts';
import { uploadForm, wheelName, wheelOf } from '../harness/pypi.ts';
import { packageZip, pathOfFile } from '../types/composer.ts';
import { filePath, manifestOf } from '../types/conan-format.ts';
import { debOf, debPath } from '../types/debian-files.ts';
import { gemOf, gemPath } from '../types/gems.ts';
import { nupkgOf, pushForm } from '../types/nupkgs.ts';
import { rpmOf, rpmPath } from '../types/rpm-files.ts';

/** A request, and the parameters of its path beside workspace and repository. */
export interface Request {
  readonly contract: Contract;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** A request that publishes. */
export interface Publication extends Request {
  readonly content: Uint8Array;
  readonly mediaType?: string;
}

/** What a client of a package type sends. `data` are the bytes of the file, as text that compresses badly. */
export interface MeasuredType {
  readonly packageType: PackageType;
  /** What the rows call it, if not by its type alone. */
  readonly label?: string;
  readonly nameOf: (word: string) => string;
  readonly versionOf: (patch: number) => string;
  readonly publication: (name: string, version: string, data: string) => Promise<Publication>;
  /** The request that shows what was published, of a type whose clients send each file alone. */
  readonly completion?: (name: string, version: string) => Publication;
  readonly index: (name: string) => Request;
  readonly file: (name: string, version: string) => Request;
  /** The index is of the whole repository: what grows is the number of packages. */
  readonly hasRepositoryIndex?: true;
}

const semver = (patch: number): string => `1.0.${patch}`;
const itself = (word: string): string => word;
const mavenFile = (name: string, version: string) =>
  `${name.replaceAll(/[.:]/g, '/')}/${version}/${name.split(':')[1] ?? ''}-${version}.jar`;

/** The package types that are measured beside npm. */
export const measuredTypes: readonly MeasuredType[] = [
  {
    packageType: 'pypi',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, content) => {
      const each = { name, version, content };
      return { contract: publishPypiFile, params: {}, ...uploadForm(wheelName(each), wheelOf(each), each) };
    },
    index: (name) => ({ contract: getPypiDocument, params: { path: `simple/${name}/` } }),
    file: (name, version) => ({
      contract: getPypiDocument,
      params: { path: `files/${name}/${version}/${wheelName({ name, version })}` },
    }),
  },
  {
    packageType: 'maven',
    nameOf: (word) => `org.acme:${word}`,
    versionOf: semver,
    publication: async (name, version, data) => ({
      contract: publishMavenFile,
      params: { path: mavenFile(name, version) },
      content: Buffer.from(data),
    }),
    index: (name) => ({
      contract: getMavenFile,
      params: { path: `${name.replaceAll(/[.:]/g, '/')}/maven-metadata.xml` },
    }),
    file: (name, version) => ({ contract: getMavenFile, params: { path: mavenFile(name, version) } }),
  },
  {
    packageType: 'go',
    nameOf: (word) => `corp.example/${word}`,
    versionOf: (patch) => `v1.0.${patch}`,
    publication: async (name, version, data) => ({
      contract: publishGoModule,
      params: { path: `${name}/@v/${version}.zip` },
      content: moduleZip(name, version, { 'data.txt': data }),
      mediaType: 'application/zip',
    }),
    index: (name) => ({ contract: getGoFile, params: { path: `${name}/@v/list` } }),
    file: (name, version) => ({ contract: getGoFile, params: { path: `${name}/@v/${version}.zip` } }),
  },
  {
    packageType: 'cargo',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, code) => ({
      contract: publishCrate,
      params: {},
      content: await publishBodyOf({ name, version, code }),
    }),
    index: (name) => ({ contract: getCrateIndex, params: { path: indexPathOf(name) } }),
    file: (crate, version) => ({ contract: getCrate, params: { crate, version } }),
  },
  {
    packageType: 'composer',
    nameOf: (word) => `acme/${word}`,
    versionOf: semver,
    publication: async (name, version, content) => ({
      contract: publishComposerPackage,
      params: {},
      content: packageZip({ name, version, content }),
      mediaType: 'application/zip',
    }),
    index: (name) => ({ contract: getComposerDocument, params: { path: `p2/${name}.json` } }),
    file: (name, version) => ({ contract: getComposerDocument, params: { path: pathOfFile(name, version) } }),
  },
  {
    packageType: 'conan',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, data) => ({
      contract: publishConanFile,
      params: { path: filePath({ name, version }, 'conanfile.py') },
      content: Buffer.from(data),
    }),
    completion: (name, version) => ({
      contract: publishConanFile,
      params: { path: filePath({ name, version }, 'conanmanifest.txt') },
      content: Buffer.from(manifestOf({ name, version })),
    }),
    index: (name) => ({ contract: getConanSearch, params: {}, query: { q: `${name}/*` } }),
    file: (name, version) => ({
      contract: getConanDocument,
      params: { path: filePath({ name, version }, 'conanfile.py') },
    }),
  },
  {
    packageType: 'nuget',
    nameOf: itself,
    versionOf: semver,
    publication: async (id, version, content) => ({
      contract: publishNugetPackage,
      params: {},
      ...pushForm(nupkgOf({ id, version, content })),
    }),
    index: (name) => ({ contract: getNugetDocument, params: { path: `v3/registration/${name}/index.json` } }),
    file: (name, version) => ({
      contract: getNugetDocument,
      params: { path: `v3/flat/${name}/${version}/${name}.${version}.nupkg` },
    }),
  },
  {
    packageType: 'chocolatey',
    nameOf: itself,
    versionOf: semver,
    publication: async (id, version, content) => ({
      contract: publishChocolateyPackage,
      params: {},
      ...pushForm(nupkgOf({ id, version, content })),
    }),
    index: (name) => ({
      contract: getChocolateyDocument,
      params: { path: 'FindPackagesById()' },
      query: { id: `'${name}'` },
    }),
    file: (name, version) => ({ contract: getChocolateyDocument, params: { path: `package/${name}/${version}` } }),
  },
  {
    packageType: 'gems',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, content) => ({
      contract: publishGem,
      params: {},
      content: gemOf({ name, version, content }),
    }),
    index: (name) => ({ contract: getGemsDocument, params: { path: `info/${name}` } }),
    file: (name, version) => ({ contract: getGemsDocument, params: { path: gemPath({ name, version }) } }),
  },
  {
    packageType: 'gems',
    label: 'gems, versions of all',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, content) => ({
      contract: publishGem,
      params: {},
      content: gemOf({ name, version, content }),
    }),
    index: () => ({ contract: getGemsDocument, params: { path: 'versions' } }),
    file: (name, version) => ({ contract: getGemsDocument, params: { path: gemPath({ name, version }) } }),
    hasRepositoryIndex: true,
  },
  {
    packageType: 'rpm',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, content) => ({
      contract: publishRpmPackage,
      params: { path: rpmPath({ name, version }) },
      content: rpmOf({ name, version, content }),
    }),
    index: () => ({ contract: getRpmDocument, params: { path: 'repodata/repomd.xml' } }),
    file: (name, version) => ({ contract: getRpmDocument, params: { path: rpmPath({ name, version }) } }),
    hasRepositoryIndex: true,
  },
  {
    packageType: 'debian',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, content) => ({
      contract: publishDebianPackage,
      params: { path: debPath({ name, version }) },
      content: debOf({ name, version, content }),
    }),
    index: () => ({ contract: getDebianDocument, params: { path: 'dists/stable/InRelease' } }),
    file: (name, version) => ({ contract: getDebianDocument, params: { path: debPath({ name, version }) } }),
    hasRepositoryIndex: true,
  },
  {
    packageType: 'helm',
    nameOf: itself,
    versionOf: semver,
    publication: async (name, version, content) => ({
      contract: publishChart,
      params: {},
      ...chartForm({ chart: await chartOf({ name, version, content }) }),
    }),
    index: () => ({ contract: getHelmDocument, params: { path: 'index.yaml' } }),
    file: (name, version) => ({ contract: getHelmDocument, params: { path: `charts/${name}-${version}.tgz` } }),
    hasRepositoryIndex: true,
  },
];
