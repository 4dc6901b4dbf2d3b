import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** The tarball that `npm pack` makes of a package. */
export const packed = async (
  manifest: object,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Buffer> => {
  const archive = pack();
  const entries = { 'package.json': JSON.stringify(manifest), ...files };
  for (const [name, content] of Object.entries(entries))
    archive.entry({ name: `package/${name}` }, Buffer.from(content));
  archive.finalize();
  return gzipSync(await buffer(archive), { level: 1 });
};

/** An entry of a tar archive (POSIX ustar). */
const entryOf = (path: string, content: Buffer): Buffer => {
  const header = Buffer.alloc(512);
  const fields = { 0: path, 100: '0000644', 124: content.length.toString(8).padStart(11, '0'), 136: '0'.repeat(11) };
  for (const [at, text] of Object.entries({ ...fields, 148: ' '.repeat(8), 156: '0', 257: 'ustar\u000000' }))
    header.write(text, Number(at), 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1');
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
};

/** The tarball of a package with one file: the same bytes for the same content, which are not compressed. */
export const tarballOf = (manifest: object, content = ''): Buffer =>
  gzipSync(
    Buffer.concat([
      entryOf('package/package.json', Buffer.from(JSON.stringify(manifest))),
      entryOf('package/content', Buffer.from(`<content>${content}</content>`)),
      Buffer.alloc(1024),
    ]),
    { level: 0 },
  );

/** The content in the bytes of such a tarball. */
export const contentIn = (text: string): string | undefined =>
  /<content>(?<content>.*)<\/content>/s.exec(text)?.groups?.content;

/** What `npm publish` sends for a package without files beside its manifest. */
export const publishBody = (
  name: string,
  version = '1.0.0',
  manifest: Readonly<Record<string, unknown>> = {},
  tarball = tarballOf({ name, version, ...manifest }, `the tarball of ${name} ${version}`),
) => {
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
    tarball: `http://elsewhere.example/${name}/-/${file}`,
  };
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, ...manifest, dist } },
    access: null,
    _attachments: {
      [file]: { content_type: 'application/octet-stream', data: tarball.toString('base64'), length: tarball.length },
    },
  };
};
