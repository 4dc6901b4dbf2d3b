import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { etagged, longAgo, type UpstreamPackage } from './upstream-type.ts';

/** What a repository of Maven serves of these versions of one artifact, by path. */
export const mavenSite = async (
  _upstream: unknown,
  versions: readonly UpstreamPackage[],
): Promise<Record<string, RequestListener>> => {
  const [groupId = '', artifactId = ''] = versions[0]?.name.split(':') ?? [];
  const folder = `/maven2/${groupId.replaceAll('.', '/')}/${artifactId}`;
  const ids = `<groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId>`;
  const list = versions.map(({ version }) => `<version>${version}</version>`).join('');
  const metadata = `<metadata>${ids}<versioning><versions>${list}</versions></versioning></metadata>`;
  const documents: Record<string, readonly [content: string, publishedAt: string]> = {
    [`${folder}/maven-metadata.xml`]: [metadata, longAgo],
  };
  for (const { version, content, publishedAt = longAgo } of versions) {
    const base = `${folder}/${version}/${artifactId}-${version}`;
    // With the content again: what arrives more slowly than a line of text is taken for an upstream that hangs.
    const pom = `<project><modelVersion>4.0.0</modelVersion>${ids}<version>${version}</version><packaging>txt</packaging><description>${content}</description></project>`;
    documents[`${base}.txt`] = [content, publishedAt];
    documents[`${base}.pom`] = [pom, publishedAt];
  }
  return Object.fromEntries(
    Object.entries(documents).flatMap(([path, [content, publishedAt]]) => {
      const dated = { 'Last-Modified': new Date(publishedAt).toUTCString() };
      const hash = createHash('sha1').update(content).digest('hex');
      return [
        [path, etagged(content, 'application/octet-stream', dated)],
        [`${path}.sha1`, etagged(hash, 'text/plain')],
      ];
    }),
  );
};
