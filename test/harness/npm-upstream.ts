import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Upstream } from './upstream.ts';

/** A version of a package that an upstream has. */
export interface UpstreamVersion {
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly tarball?: Uint8Array;
  /** Where the upstream says that the tarball is. */
  readonly url?: string;
  /** What it says of the tarball instead of the truth. */
  readonly dist?: Readonly<Record<string, unknown>>;
}

/** A package that an upstream has, by version. The last one is the latest. */
export type UpstreamPackage = Readonly<Record<string, UpstreamVersion>>;

export const abbreviatedType = 'application/vnd.npm.install-v1+json';

const hashOf = (algorithm: string, bytes: Uint8Array, encoding: 'hex' | 'base64'): string =>
  createHash(algorithm).update(bytes).digest(encoding);

/** The tarball of a version, unless a test gives another one. It begins as gzip does. */
export const tarballOf = (name: string, version: string): Buffer =>
  Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from(`upstream tarball ${name} ${version}`)]);

const pathOf = (name: string, version: string): string => `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;

/** The packument with which a registry at a URL answers. */
export const packumentOf = (base: string, name: string, versions: UpstreamPackage, isFull = true) => {
  const manifests = Object.entries(versions).map(([version, { manifest, tarball, url, dist }]) => {
    const bytes = tarball ?? tarballOf(name, version);
    const hashes = { integrity: `sha512-${hashOf('sha512', bytes, 'base64')}`, shasum: hashOf('sha1', bytes, 'hex') };
    const promised = dist ?? { ...hashes, signatures: [{ keyid: 'SHA256:key', sig: 'MEUC' }] };
    return [
      version,
      { name, version, ...manifest, dist: { ...promised, tarball: url ?? `${base}/${pathOf(name, version)}` } },
    ];
  });
  const time = Object.fromEntries(manifests.map(([version]) => [version, '2026-01-02T03:04:05.678Z']));
  return {
    ...(isFull && {
      _id: name,
      _rev: '1-upstream',
      readme: '# Upstream',
      time: { created: '2026-01-01T00:00:00.000Z', ...time },
    }),
    name,
    'dist-tags': { latest: Object.keys(versions).at(-1) },
    versions: Object.fromEntries(manifests) as Record<string, unknown>,
  };
};

/** Answers like a registry that has these packages, under a path of its own. */
export const serveRegistry =
  (upstream: Upstream, packages: Readonly<Record<string, UpstreamPackage>>, base = upstream.url): RequestListener =>
  (request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(new URL(base).pathname.replace(/\/$/, '').length + 1);
    for (const [name, versions] of Object.entries(packages)) {
      for (const [version, { tarball }] of Object.entries(versions))
        if (path === pathOf(name, version)) {
          response.end(tarball ?? tarballOf(name, version));
          return;
        }
      if (path !== name) continue;
      const isFull = !request.headers.accept?.includes(abbreviatedType);
      const body = JSON.stringify(packumentOf(base, name, versions, isFull));
      const etag = `"${hashOf('sha1', Buffer.from(body), 'hex')}"`;
      const isKnown = request.headers['if-none-match'] === etag;
      response.writeHead(isKnown ? 304 : 200, { ETag: etag }).end(isKnown ? undefined : body);
      return;
    }
    response.writeHead(404).end();
  };
