import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { serveAddressedFile } from '../../shared/packages/file-download.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/package-address.ts';
import type { Sources } from '../../shared/packages/sources.ts';
import { getNpmDocument } from './contracts.ts';
import { type Packument, renderForWriting, renderPackument, renderVersion } from './packument.ts';
import { parsePath } from './paths.ts';
import { addressOf, answerDocument, findPackage, type ReadCall } from './reading.ts';
import { latestOf } from './versions.ts';

const abbreviatedType = 'application/vnd.npm.install-v1+json';

const packumentAnswer = async (
  call: ReadCall & { readonly query: { readonly write?: string | undefined } },
  sources: Sources,
  name: string,
): Promise<BytesResult> => {
  const found = await findPackage(call, sources, name);
  const isForWriting = call.query.write !== undefined;
  const isAbbreviated = !isForWriting && (call.header('accept') ?? '').includes(abbreviatedType);
  const shown = isForWriting ? { ...found, revision: `${found.revision}/write` } : found;
  return answerDocument(call, shown, isAbbreviated ? abbreviatedType : 'application/json', async () => {
    const packument: Packument = { ...(await found.load()), name, revision: found.revision };
    const address = addressOf(call, name);
    if (isForWriting) return renderForWriting(packument, address);
    return renderPackument(isAbbreviated ? 'abbreviated' : 'full', packument, address);
  });
};

const versionAnswer = async (
  call: ReadCall,
  sources: Sources,
  { name, versionOrTag }: { readonly name: string; readonly versionOrTag: string },
): Promise<BytesResult> => {
  const found = await findPackage(call, sources, name);
  const { entries, tags } = await found.load();
  const live = [...entries].filter(({ isRemoved }) => !isRemoved);
  const latest = versionOrTag === 'latest' ? latestOf(live.map(({ version }) => version)) : undefined;
  const version = tags[versionOrTag] ?? latest ?? versionOrTag;
  const entry = live.find((each) => each.version === version);
  if (!entry) throw new ApiError('VERSION_NOT_FOUND', `There is no version '${versionOrTag}' of '${name}'.`);
  const part = { ...found, revision: `${found.revision}/${versionOrTag}` };
  return answerDocument(call, part, 'application/json', async () =>
    renderVersion(entry, addressOf(call, name)(version)),
  );
};

export const handler = endpoint(
  getNpmDocument,
  async (call) => {
    const sources = addressedSources(call, 'npm');
    const path = parsePath(call.params.path);
    if (path.kind === 'packument') return packumentAnswer(call, sources, path.name);
    if (path.kind === 'version') return versionAnswer(call, sources, path);
    const served = path.kind === 'file' ? await serveAddressedFile(call, sources, path) : undefined;
    if (!served) throw new ApiError('FILE_NOT_FOUND');
    return served;
  },
  { alsoRead: alsoReadSources },
);
