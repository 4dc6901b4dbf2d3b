import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { md5 } from '../types/conan.ts';
import { etagged, longAgo, type UpstreamType } from './upstream-type.ts';

/** The gzipped archive of a binary of one file. */
const conanArchive = async (content: string): Promise<Buffer> => {
  const pack = tar.pack();
  pack.entry({ name: 'content.txt' }, content);
  pack.finalize();
  return buffer(pack.pipe(createGzip()));
};

const conanManifest = (files: Readonly<Record<string, string>>): string =>
  ['1577836800', ...Object.entries(files).map(([file, content]) => `${file}: ${md5(content)}`), ''].join('\n');

/** What Conan calls the binary of a recipe without settings, and a conaninfo.txt that is empty. */
const plainBinary = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';

/** A remote for Conan 2, without a login. */
export const conan: UpstreamType = {
  urlOf: ({ url }) => `${url}/conan`,
  documentsOf: async (_upstream, versions) => {
    const root = '/conan/v2/conans';
    const name = versions[0]?.name ?? '';
    const results = versions.map(({ version }) => `${name}/${version}`);
    const documents: Record<string, RequestListener> = {
      [`${root}/search?q=${name}/*`]: etagged(JSON.stringify({ results }), 'application/json'),
    };
    const revision = (path: string, time: string, files: Readonly<Record<string, string | Uint8Array>>): string => {
      const id = md5(String(files['conanmanifest.txt']));
      const [names, latest] = [Object.keys(files).map((file) => [file, {}]), { revision: id, time }];
      documents[`${path}/latest`] = etagged(JSON.stringify(latest), 'application/json');
      documents[`${path}/revisions`] = etagged(JSON.stringify({ revisions: [latest] }), 'application/json');
      documents[`${path}/revisions/${id}/files`] = etagged(
        JSON.stringify({ files: Object.fromEntries(names) }),
        'application/json',
      );
      for (const [file, content] of Object.entries(files))
        documents[`${path}/revisions/${id}/files/${file}`] = etagged(content, 'application/octet-stream');
      return `${path}/revisions/${id}`;
    };
    for (const { version, content, publishedAt = longAgo } of versions) {
      const recipe = 'from conan import ConanFile\nclass Recipe(ConanFile):\n    pass\n';
      const recipePath = revision(`${root}/${name}/${version}/_/_`, publishedAt, {
        'conanfile.py': recipe,
        'conanmanifest.txt': conanManifest({ 'conanfile.py': recipe }),
      });
      revision(`${recipePath}/packages/${plainBinary}`, publishedAt, {
        'conan_package.tgz': await conanArchive(content),
        'conaninfo.txt': '',
        'conanmanifest.txt': conanManifest({ 'conaninfo.txt': '', 'content.txt': content }),
      });
    }
    return documents;
  },
};
