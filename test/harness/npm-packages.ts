import { createHash } from 'node:crypto';

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
