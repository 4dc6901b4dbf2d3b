import { gzipSync } from 'node:zlib';
import { tarOf } from './tars.ts';

/** A package of the tests. */
export interface TestDeb {
  readonly name: string;
  readonly version: string;
  readonly architecture?: string;
  /** The content of its payload, which nobody reads. */
  readonly content?: string;
  /** Further lines of its file `control`. */
  readonly control?: readonly string[];
}

/** A member of an archive, and its bytes. */
export type Member = readonly [name: string, content: string | Uint8Array];

/** The archive that a package file is (ar(5)). */
export const arOf = (members: readonly Member[]): Buffer =>
  Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...members.map(([name, content]) => {
      const bytes = Buffer.from(content as Uint8Array);
      const header = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`;
      return Buffer.concat([Buffer.from(header), bytes, Buffer.from('\n').subarray(0, bytes.length % 2)]);
    }),
  ]);

/** The text of the file `control` of a package. */
export const controlOf = ({ name, version, architecture = 'all', control = [] }: TestDeb): string =>
  [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: Acme <packages@acme.example>',
    'Installed-Size: 1',
    ...control,
    'Description: A package of a test',
    ' What it is for.',
    '',
  ].join('\n');

/** A package file around an archive of metadata: always the same bytes. */
export const debWith = (control: Member, content = ''): Buffer => {
  const payload = gzipSync(tarOf({ './usr/share/doc/CONTENT': `CONTENT = '${content}'\n` }), { level: 0 });
  return arOf([['debian-binary', '2.0\n'], control, ['data.tar.gz', payload]]);
};

/** The archive of the metadata of a package, not compressed. */
export const controlTar = (text: string): Buffer => tarOf({ './control': text, './md5sums': '' });

/** The file of a package: always the same bytes, and as many for each name of one length. */
export const debOf = (each: TestDeb): Buffer =>
  debWith(['control.tar.gz', gzipSync(controlTar(controlOf(each)), { level: 0 })], each.content);

/** The content in the bytes of a package, read as text. */
export const contentIn = (bytes: string): string | undefined => /CONTENT = '(.*?)'\n/s.exec(bytes)?.[1];

/** The name of the file of a package. */
export const debName = ({ name, version, architecture = 'all' }: TestDeb): string =>
  `${name}_${version.replace(/^\d+:/, '')}_${architecture}.deb`;

/** The path of a package. */
export const debPath = (each: TestDeb, place = 'stable/main'): string => `pool/${place}/${debName(each)}`;

/** What the name of a package file says, at the end of a path. */
export const readFileNameOf = (path: string) => {
  const [, name = '', version = '', architecture = ''] = /([^/_]+)_([^/_]+)_([^/_]+)\.deb$/.exec(path) ?? [];
  return { name, version, architecture };
};
