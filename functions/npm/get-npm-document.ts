import { ApiError } from '../../shared/errors.ts';
import { acceptedTypes } from '../../shared/http/accepted-types.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { type HeldRelease, heldError } from '../../shared/packages/releases/open-gate.ts';
import { answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { fileEndpoint, fileIn } from '../../shared/packages/serve/file-endpoint.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import type { WaitingRequest } from '../../shared/packages/serve/wait-redirects.ts';
import { addressedSources, type IndexIn } from '../../shared/packages/sources/package-address.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import { accountRefusal } from './account-routes.ts';
import { getNpmDocument } from './contracts.ts';
import { noticeOf } from './gate.ts';
import { unscopedOf } from './names.ts';
import { mergeEntries, type Packument, renderForWriting, renderPackument, renderVersion, tagsOf } from './packument.ts';
import { parsePath } from './paths.ts';
import { addressOf, findPackage, type ReadCall } from './reading.ts';
import { signaturesAnswer } from './signatures.ts';
import { npm } from './type.ts';
import { abbreviatedType, locateTarball, packumentName, releaseOf, tarballLocationKeys } from './upstream-documents.ts';
import { order } from './versions.ts';

type WaitingCall = ReadCall & WaitingRequest & { readonly repository: Repository };

const fileNameOf = (name: string): string => `${unscopedOf(name)}.json`;

/** Whether a client names the abbreviated form and likes the full one no better (RFC 9110 section 12.5.1). */
const wantsAbbreviated = (accept: string | undefined): boolean => {
  const weights = new Map(acceptedTypes(accept).map(({ type, weight }) => [type, weight]));
  const full = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  const abbreviated = weights.get(abbreviatedType) ?? 0;
  return abbreviated > 0 && abbreviated >= full;
};

/** What of the versions that do not pass in one source no other one has. */
const lacking = async (
  held: readonly HeldRelease[],
  merged: () => Promise<ReturnType<typeof mergeEntries>>,
): Promise<readonly HeldRelease[]> => {
  if (held.length === 0) return held;
  const listed = new Set((await merged()).entries.map(({ version }) => version));
  return held.filter(({ release }) => !listed.has(release.id));
};

const packumentAnswer = async (
  call: WaitingCall,
  sources: Sources,
  name: string,
): Promise<BytesResult | RedirectResult> => {
  const isForWriting = call.query.write !== undefined;
  const isAbbreviated = !isForWriting && wantsAbbreviated(call.header('accept'));
  // The packument for writing is made from the abbreviated manifests.
  const found = await findPackage(call, sources, {
    name,
    form: isAbbreviated || isForWriting ? 'abbreviated' : 'full',
  });
  const merged = async () => mergeEntries(await found.load());
  const { repository } = call;
  const targetId =
    repository.repositoryType === 'virtual' ? repository.uploadLocalRepositoryId : repository.repositoryId;
  // What a deletion changes, and compares with the `_rev`. A virtual repository may get another upload target.
  const at = found.known.findIndex(({ source }) => source.repositoryId === targetId);
  const own = found.known[at]?.revision;
  const render = async (): Promise<Buffer> => {
    const indexes = await found.load();
    const packument: Packument = { ...mergeEntries(indexes), name, revision: own ?? found.revision };
    const address = addressOf(call, name);
    if (isForWriting) return renderForWriting(packument, address, indexes[at]?.entries ?? []);
    return renderPackument(isAbbreviated ? 'abbreviated' : 'full', packument, address);
  };
  const revision = [found.revision, own, ...(isForWriting ? ['write'] : [])].join('/');
  const mediaType = isAbbreviated ? abbreviatedType : 'application/json';
  const headers = { ...found.headers, ...noticeOf(name, await lacking(found.held, merged)) };
  const document = { ...found, headers, fileName: fileNameOf(name), revision, mediaType, render };
  return answerLargeDocument(call, { ...document, sourceBytes: found.bytes });
};

const versionAnswer = async (
  call: ReadCall,
  sources: Sources,
  { name, versionOrTag }: { readonly name: string; readonly versionOrTag: string },
): Promise<BytesResult | RedirectResult> => {
  const found = await findPackage(call, sources, { name, form: 'full' });
  const render = async (): Promise<Buffer> => {
    const { entries, tags } = mergeEntries(await found.load());
    const version = tagsOf({ tags }, entries)[versionOrTag] ?? versionOrTag;
    const entry = entries.find((each) => each.version === version);
    const held = entry ? undefined : found.held.find(({ release }) => release.version === version);
    if (held) throw heldError(held);
    if (!entry) throw new ApiError('VERSION_NOT_FOUND', `There is no version '${versionOrTag}' of '${name}'.`);
    return renderVersion(entry, addressOf(call, name)(version));
  };
  return answerLargeDocument(call, {
    ...found,
    fileName: fileNameOf(name),
    revision: `${found.revision}/version/${versionOrTag}`,
    mediaType: 'application/json',
    render,
  });
};

const indexIn: IndexIn<{ readonly path: string }> = ({ path }, header) => {
  const parsed = parsePath(path);
  if (parsed.kind !== 'packument' && parsed.kind !== 'version') return undefined;
  const isAbbreviated = parsed.kind === 'packument' && wantsAbbreviated(header('accept'));
  return { name: parsed.name, documents: [packumentName(parsed.name, isAbbreviated ? 'abbreviated' : 'full')] };
};

const files = fileEndpoint(npm, {
  indexIn,
  addressIn: fileIn(parsePath),
  locate: locateTarball,
  locationKeys: tarballLocationKeys,
  releaseOf,
});

export const handler = endpoint(
  getNpmDocument,
  async (call) => {
    const sources = addressedSources(call, { ...npm, order });
    const path = parsePath(call.params.path);
    if (path.kind === 'packument') return orPending(npm, call, async () => packumentAnswer(call, sources, path.name));
    if (path.kind === 'version') return orPending(npm, call, async () => versionAnswer(call, sources, path));
    if (path.kind === 'keys' || path.kind === 'attestations')
      return orPending(npm, call, async () => signaturesAnswer(call, sources, path));
    if (path.kind !== 'file') throw accountRefusal(call.params.path) ?? new ApiError('FILE_NOT_FOUND');
    return files.serve(call, sources, path);
  },
  { alsoRead: files.alsoRead },
);
