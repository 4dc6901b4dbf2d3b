import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { Table } from '../../shared/table/client.ts';
import { headTagged } from '../../shared/table/packages/head-writes.ts';
import type { Answer } from './client.ts';
import { whenAvailable } from './retry.ts';
import type { Service } from './service.ts';
import type { Upstream } from './upstream.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

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

/** A request below the address of an npm repository; what it leaves out is a plain request of a system admin. */
export interface NpmRequest {
  readonly method?: string;
  /** Another repository than that of the test. */
  readonly repository?: Named;
  /** The value of the Authorization header. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is no text is sent as JSON. */
  readonly body?: unknown;
}

const bodyOf = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);

/** A workspace with an npm repository, and the requests that npm sends to it: paths go out as they are written. */
export const useNpmRepository = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    Object.assign(setting, { workspace, admin, repository: await service.world.repository(workspace) });
  });
  const pathOf = (path: string, { name } = setting.repository): string =>
    `/npm/${setting.workspace.name}/${name}/${path}`;
  const send = async (contract: Contract, path: string, request: NpmRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository, as = setting.admin.bearer, headers = {}, body } = request;
    const lines = { Authorization: as, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
    return service.client.sendTo(contract, {
      method,
      path: pathOf(path, repository),
      headers: Object.entries(lines),
      ...(body !== undefined && { body: bodyOf(body) }),
    });
  };
  const document = async (path: string, request?: NpmRequest) => {
    const { status, text } = await whenAvailable(() => send(getNpmDocument, path, request));
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown> & {
      readonly versions: Readonly<Record<string, Record<string, unknown>>>;
      readonly 'dist-tags': Readonly<Record<string, string>>;
    };
  };
  return {
    setting,
    send,
    /** The URL of a path, as the service prints it. */
    urlOf: (path: string, repository?: Named): string => service.runner.url + pathOf(path, repository),
    /** Publishes a version, of a new package unless it is named; returns the name. */
    publish: async (
      {
        name = uniqueName('package'),
        version = '1.0.0',
        ...manifest
      }: Readonly<Record<string, unknown>> & {
        readonly name?: string;
        readonly version?: string;
      } = {},
      repository?: Named,
    ): Promise<string> => {
      const body = publishBody(name, version, manifest);
      const { status, text } = await whenAvailable(() =>
        send(publishNpmPackage, name, { body, ...(repository && { repository }) }),
      );
      if (status !== 201) throw new Error(`${name} ${version} was not published: ${text}`);
      return name;
    },
    /** The document at a path. */
    document,
    /** Forgets where the tag `latest` is: an earlier release stored none for versions that were published under other tags. */
    forgetLatest: async (name: string): Promise<void> => {
      const ref = { contentId: setting.repository.id, name };
      await new Table().writeUnrecorded([headTagged(ref, 'latest', null, new Date().toISOString())]);
    },
    /** The path at which npm deletes a package as it is now. */
    revisionPath: async (name: string, request?: NpmRequest): Promise<string> => {
      const { _rev: revision } = await document(`${name}?write=true`, request);
      return `${name}/-rev/${String(revision)}`;
    },
  };
};

/** What npm prints of a refusal. */
export const errorOf = ({ text }: Answer): unknown => (JSON.parse(text) as { readonly error?: unknown }).error;

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
export const upstreamTarballOf = (name: string, version: string): Buffer =>
  Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from(`upstream tarball ${name} ${version}`)]);

const tarballPathOf = (name: string, version: string): string => `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;

/** The packument with which a registry at a URL answers. */
export const packumentOf = (base: string, name: string, versions: UpstreamPackage, isFull = true) => {
  const manifests = Object.entries(versions).map(([version, { manifest, tarball, url, dist }]) => {
    const bytes = tarball ?? upstreamTarballOf(name, version);
    const hashes = { integrity: `sha512-${hashOf('sha512', bytes, 'base64')}`, shasum: hashOf('sha1', bytes, 'hex') };
    const promised = dist ?? { ...hashes, signatures: [{ keyid: 'SHA256:key', sig: 'MEUC' }] };
    return [
      version,
      { name, version, ...manifest, dist: { ...promised, tarball: url ?? `${base}/${tarballPathOf(name, version)}` } },
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
        if (path === tarballPathOf(name, version)) {
          response.end(tarball ?? upstreamTarballOf(name, version));
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
