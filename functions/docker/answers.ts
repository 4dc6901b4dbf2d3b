import type { BytesResult, BytesStatus } from '../../shared/http/payloads.ts';

/** The parts of a request that its answers repeat. */
export interface ImageCall {
  readonly params: { readonly workspace: string; readonly repository: string };
  readonly baseUrl: string;
}

/** The name of an image as its clients know it. */
export const fullName = ({ params: { workspace, repository } }: ImageCall, image: string): string =>
  [workspace, repository, image].join('/');

/** The path of an image on this host, without the slash at its end. Clients go on at the host that they know. */
export const imageUrl = (call: ImageCall, image: string): string => {
  const base = new URL(call.baseUrl).pathname.replace(/\/$/, '');
  const [workspace, repository] = [call.params.workspace, call.params.repository].map(encodeURIComponent);
  return `${base}/v2/${workspace}/${repository}/${image}`;
};

/** An answer whose headers say everything. */
export const emptyAnswer = (status: BytesStatus, headers: Readonly<Record<string, string>> = {}): BytesResult => ({
  kind: 'bytes',
  status,
  mediaType: 'text/plain; charset=utf-8',
  headers,
});

/** The answer to a client that has stored something. */
export const storedAnswer = (location: string, digest: string, headers: Readonly<Record<string, string>> = {}) =>
  emptyAnswer(201, { Location: location, 'Docker-Content-Digest': digest, ...headers });

/** The header that tells the digest of what an answer contains. */
export const digestHeader = (digest: string) => ({ 'Docker-Content-Digest': digest });
