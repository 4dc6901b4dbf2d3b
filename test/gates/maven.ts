import { getMavenFile } from '../../functions/maven/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { type Ages, type GatedType, type GateWorld, newName } from './gated-type.ts';

const textsOf = (xml: string, element: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g')), ([, text = '']) => text);

const folderOf = (name: string): string => name.replace(':', '/');

/** The path of a file of a version, by its ending. */
const pathOf = (name: string, version: string, ending: string): string =>
  `${folderOf(name)}/${version}/${name.split(':')[1]}-${version}${ending}`;

const pom = (version: string): string => `<project><version>${version}</version></project>`;

const metadataOf = (versions: readonly string[]): string => {
  const [highest = ''] = versions.toSorted().toReversed();
  const updated = new Date().toISOString().replaceAll(/[-T:]/g, '').slice(0, 14);
  const elements = versions.map((version) => `<version>${version}</version>`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?><metadata><versioning><latest>${highest}</latest><release>${highest}</release><versions>${elements}</versions><lastUpdated>${updated}</lastUpdated></versioning></metadata>`;
};

const filesOf = (name: string, ages: Ages): Readonly<Record<string, readonly [body: string, hours?: number]>> => ({
  [`/${folderOf(name)}/maven-metadata.xml`]: [metadataOf(Object.keys(ages))],
  ...Object.fromEntries(
    Object.entries(ages).flatMap(([version, hours]) => [
      [`/${pathOf(name, version, '.pom')}`, [pom(version), hours]] as const,
      [`/${pathOf(name, version, '.jar')}`, [`PK jar ${version}`]] as const,
    ]),
  ),
});

/** The release gate of remote repositories of Maven. */
export const mavenGate = ({ ask }: GateWorld): GatedType => {
  const maven: GatedType = {
    type: 'maven',
    file: getMavenFile,
    newName: () => `corp:${newName()}`,
    answer: (name, ages) => (request, response) => {
      const [body, hours] = filesOf(name, ages)[decodeURIComponent(request.url ?? '')] ?? [];
      const date =
        hours === undefined ? {} : { 'Last-Modified': new Date(Date.now() - hours * 3_600_000).toUTCString() };
      response.writeHead(body === undefined ? 404 : 200, date).end(request.method === 'HEAD' ? undefined : body);
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getMavenFile, 'maven', repository, `${folderOf(name)}/maven-metadata.xml`, headers),
      await ask(getMavenFile, 'maven', repository, `${folderOf(name)}/maven-metadata.xml.sha1`, headers),
    ],
    listed: async (repository, name) => {
      const [metadata] = await maven.documents(repository, name);
      const { text } = metadata as Answer;
      const versions = textsOf(text, 'version');
      const highest = versions.toSorted().slice(-1);
      expect([textsOf(text, 'latest'), textsOf(text, 'release')]).toEqual([highest, highest]);
      return [versions];
    },
    files: (name, version) => ['.jar', '.pom', '.jar.sha1'].map((ending) => pathOf(name, version, ending)),
    kept: (name) => [{ name, document: 'metadata' }],
    keptOf: (name, version) => [{ name, document: `date ${version}` }],
  };
  return maven;
};
