import { getGoFile, publishGoModule } from '../../functions/go/contracts.ts';
import { getMavenFile, publishMavenFile } from '../../functions/maven/contracts.ts';
import { moduleZip } from './go-modules.ts';
import { type PackageFormat, paramsOf, type VersionAddress } from './package-format.ts';

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
