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

/** What `npm publish` sends for a package without files beside its manifest. */
export const publishBody = (
  name: string,
  version = '1.0.0',
  manifest: Readonly<Record<string, unknown>> = {},
  tarball = Buffer.from(`the tarball of ${name} ${version}`),
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
