import { ApiError } from '../../shared/errors.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { passGate } from '../../shared/packages/gate/gated-file.ts';
import { firstAnswer } from '../../shared/packages/serve/joined-answers.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { answeringSources, holderKeys, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import type { NpmPath } from './paths.ts';
import { releaseOf } from './upstream-documents.ts';

/** The keys with which a registry signs, or the attestations of a version: what `npm audit signatures` reads. */
export type SignaturePath = Extract<NpmPath, { kind: 'keys' | 'attestations' }>;

/** No package has this name. */
const keysName = '-/npm/v1/keys';

const documentOf = (source: RemoteRepository, path: SignaturePath): UpstreamDocument<JsonObject> => {
  const parse = (kept: Uint8Array): JsonObject => parseObject(kept, 'The answer of the upstream');
  const accept = 'application/json';
  if (path.kind === 'keys')
    return { name: keysName, document: 'keys', url: urlBelow(source.remoteRepositoryUrl, keysName), accept, parse };
  const { name, version } = path;
  const tail = `-/npm/v1/attestations/${name.replace('/', '%2f')}@${encodeURIComponent(version)}`;
  const url = urlBelow(source.remoteRepositoryUrl, tail);
  return { name, document: `attestations ${version}`, url, accept, parse };
};

/** The remote sources that may answer, and whether what they say of a version may leave. */
const answering = async (table: Table, sources: Sources, path: SignaturePath, loaded: IdentityMap) => {
  if (path.kind === 'keys') return sources.all.filter(isRemote);
  const read = await table.read(holderKeys(sources, path.name), loaded);
  return answeringSources(sources, path.name, read).filter(isRemote);
};

/** Answers with the keys or the attestations of the first upstream that has them. Throws FILE_NOT_FOUND, and as `loadDocument` and `passGate`. */
export const signaturesAnswer = async (
  call: { readonly table: Table; readonly loaded: IdentityMap },
  sources: Sources,
  path: SignaturePath,
): Promise<BytesResult> => {
  const { table, loaded } = call;
  const request = fetchRequest({ table });
  const answer = await firstAnswer(await answering(table, sources, path, loaded), async (source) => {
    const address = path.kind === 'keys' ? undefined : { name: path.name, version: path.version, file: '' };
    if (address && !readable(source, { ...address, kind: 'version' }, address)) return undefined;
    const gated = address ? await passGate(request, source, { address, file: undefined, releaseOf }) : {};
    const found = gated !== 'not listed' && (await loadDocument(request, source, documentOf(source, path)));
    if (!found) return undefined;
    const headers = { ...originHeaders({ origins: [source.name], caches: [found.cache], unreachable: [] }), ...gated };
    return { headers, content: JSON.stringify(await found.read()) };
  });
  if (!answer) throw new ApiError('FILE_NOT_FOUND');
  return { kind: 'bytes', mediaType: 'application/json', ...answer };
};
