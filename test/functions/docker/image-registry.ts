import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { digestOf, imageMediaType, manifestOf, type TestImage, type useImages } from '../../harness/images.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import type { Service } from '../../harness/service.ts';
import type { Upstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';

/** The images of a registry: their blobs by digest, and their manifests by digest and by tag. */
export interface RegistryContent {
  readonly blobs: Map<string, Uint8Array>;
  readonly manifests: Map<string, string>;
  /** The number of tags in one answer, if it is limited. A Link leads to the next one. */
  tagsMax?: number;
  /** The media type that manifests are sent with; none if it is empty. */
  mediaType?: string;
}

/** Puts an image into a registry, under the name that the registry knows it by. */
export const putImage = (
  { blobs, manifests }: RegistryContent,
  name: string,
  tag: string,
  image: TestImage,
): string => {
  for (const bytes of [image.config, ...image.layers]) blobs.set(`${name}@${digestOf(bytes)}`, Buffer.from(bytes));
  const manifest = manifestOf(image);
  manifests.set(`${name}@${digestOf(manifest)}`, manifest);
  manifests.set(`${name}:${tag}`, manifest);
  return manifest;
};

export const emptyRegistry = (): RegistryContent => ({ blobs: new Map(), manifests: new Map() });

/** Where a listener keeps the tokens that it gave, and the credentials that they were asked for with. */
export interface Tokens {
  readonly given: Map<string, string>;
  readonly asked: (string | undefined)[];
}

/** A registry as public ones are: without a token for the image it answers 401, and it says where tokens are. */
export const registryOf =
  (upstream: Upstream, content: RegistryContent, tokens: Tokens): RequestListener =>
  (request, response) => {
    const url = new URL(request.url ?? '', upstream.url);
    if (url.pathname === '/token') {
      tokens.asked.push(request.headers.authorization);
      const token = randomUUID();
      tokens.given.set(`Bearer ${token}`, url.searchParams.get('scope') ?? '');
      response.writeHead(200).end(JSON.stringify({ token, expires_in: 300 }));
      return;
    }
    const [, name = '', kind = '', reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs|tags|referrers)\/(.+)$/.exec(url.pathname) ?? [];
    const scope = `repository:${name}:pull`;
    if (tokens.given.get(request.headers.authorization ?? '') !== scope) {
      const challenge = `Bearer realm="${upstream.url}/token",service="registry.test",scope="${scope}"`;
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
      return;
    }
    const found = contentAt(content, name, kind, reference, url.searchParams.get('after') ?? '');
    if (!found) response.writeHead(404).end();
    else response.writeHead(200, found.headers).end(request.method === 'HEAD' ? undefined : found.body);
  };

const contentAt = (
  { blobs, manifests, tagsMax = Number.POSITIVE_INFINITY, mediaType = imageMediaType }: RegistryContent,
  name: string,
  kind: string,
  reference: string,
  after: string,
) => {
  if (kind === 'tags') {
    const tags = [...manifests.keys()]
      .filter((key) => key.startsWith(`${name}:`))
      .map((key) => key.split(':')[1] ?? '')
      .toSorted();
    const rest = tags.filter((tag) => tag > after);
    const page = rest.slice(0, tagsMax);
    // A parameter of its own, as some registries have it.
    const next = `</v2/${name}/tags/list?after=${page.at(-1)}>; rel="next"`;
    const headers = rest.length > page.length ? { Link: next } : {};
    return tags.length > 0 ? { headers, body: JSON.stringify({ name, tags: page }) } : undefined;
  }
  const at = `${name}${reference.startsWith('sha256:') ? '@' : ':'}${reference}`;
  const manifest = manifests.get(at);
  if (kind === 'manifests' && manifest !== undefined)
    return {
      headers: { ...(mediaType && { 'Content-Type': mediaType }), 'Docker-Content-Digest': digestOf(manifest) },
      body: manifest,
    };
  const blob = kind === 'blobs' ? blobs.get(at) : undefined;
  return blob && { headers: {}, body: blob };
};

/** A registry at the upstream of a suite, which has nothing when a test begins, and remote repositories of it. */
export const useRegistry = (
  service: Service,
  { setting }: Pick<ReturnType<typeof useImages>, 'setting'>,
  upstream: Upstream,
) => {
  const content = emptyRegistry();
  const tokens: Tokens = { given: new Map(), asked: [] };
  beforeEach(() => {
    for (const each of [content.blobs, content.manifests, tokens.given]) each.clear();
    delete content.tagsMax;
    delete content.mediaType;
    tokens.asked.length = 0;
    upstream.answer = registryOf(upstream, content, tokens);
  });
  const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
    createRemote(service, setting.workspace, {
      packageType: 'docker',
      remoteRepositoryUrl: upstream.url,
      ...fields,
    });
  /** A virtual repository over a new local one that takes what is pushed, and others. */
  const virtualOver = async (...others: readonly Named[]) => {
    const { workspace } = setting;
    const target = await service.world.repository(workspace, undefined, 'docker');
    const fields = { packageType: 'docker', uploadLocalRepositoryId: target.id } as const;
    const repository = await createVirtual(service, workspace, [target, ...others], fields);
    return { target, repository };
  };
  return { content, tokens, remote, virtualOver };
};

/** The requests that a registry got, but for those about tokens. */
export const requestsOf = ({ requests }: { readonly requests: readonly IncomingMessage[] }): string[] =>
  requests
    .filter(({ url, headers }) => !url?.startsWith('/token') && headers.authorization?.startsWith('Bearer '))
    .map(({ method, url }) => `${method} ${url}`);
