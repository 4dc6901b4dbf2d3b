import { endpoint } from '../../shared/http/endpoint.ts';
import { loadIndex } from '../../shared/packages/index/package-index.ts';
import { fileEndpoint } from '../../shared/packages/serve/file-endpoint.ts';
import { mappedInOrder } from '../../shared/packages/serve/ordered-map.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { answeringSources, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Source, Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { getConanDocument } from './contracts.ts';
import { releaseOf } from './gate.ts';
import { completeRevision } from './index-entries.ts';
import { type ConanPath, fileAddressIn, parsePath } from './paths.ts';
import { answerQuestion } from './questions.ts';
import { conan } from './type.ts';
import { upstreamFile } from './upstream.ts';
import { order } from './versions.ts';

const nameIn = ({ path }: { readonly path: string }): { readonly name: string } | undefined => {
  const { reference, wanted } = parsePath(path);
  return wanted === 'file' ? undefined : { name: reference.name };
};

const files = fileEndpoint(conan, {
  addressIn: fileAddressIn,
  indexIn: nameIn,
  locate: (_request, source, address) => upstreamFile(source, address),
  releaseOf,
});

/**
 * The sources that may have a file, without the local ones whose revision is not complete: its files would be mixed with those of another
 * child. A repository that answers alone mixes nothing.
 */
const sourcesWithRevision = async (
  { table, loaded }: { readonly table: Table; readonly loaded: IdentityMap },
  sources: Sources,
  { reference }: ConanPath,
): Promise<Sources> => {
  if (sources.all.length === 1) return sources;
  const { name } = reference;
  const has = async (source: Source): Promise<boolean> => {
    if (isRemote(source)) return true;
    const index = await loadIndex(table, { contentId: contentIdOf(source), name });
    return index !== undefined && completeRevision(index.entries, reference) !== undefined;
  };
  const asked = answeringSources(sources, name, loaded);
  const checked = await mappedInOrder(asked, async (source) => ({ source, isHolder: await has(source) }));
  return { ...sources, all: checked.filter(({ isHolder }) => isHolder).map(({ source }) => source) };
};

export const handler = endpoint(
  getConanDocument,
  async (call) => {
    const sources = addressedSources(call, { ...conan, order });
    const path = parsePath(call.params.path);
    const address = fileAddressIn(call.params);
    if (address) return files.serve(call, await sourcesWithRevision(call, sources, path), address);
    return orPending(conan, call, async () => answerQuestion(call, sources, path, call.query.list_only === 'True'));
  },
  { alsoRead: files.alsoRead },
);
