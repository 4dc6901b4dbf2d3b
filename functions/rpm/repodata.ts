import { ApiError } from '../../shared/errors.ts';
import { armoredSignature } from '../../shared/openpgp/signing.ts';
import { signers } from '../../shared/openpgp/signing-keys.ts';
import { loadDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { currentSet, type EntryDocuments } from '../../shared/packages/generations/document-sets.ts';
import type { GenerationCall } from '../../shared/packages/generations/generations.ts';
import type { IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { type FoundRepositoryIndex, findRepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { type ListedPackage, listedPackage } from './index-entries.ts';
import { chunksOf, listOf, listTypes } from './lists.ts';
import { groupOfVersion } from './paths.ts';
import { type RepodataFile, renderRepomd } from './repomd.ts';
import { upstreamIndex, upstreamRepomd } from './upstream.ts';

type RepodataCall = GenerationCall & IndexCall;

/** The document of the generations of a group. */
export const documentOf = (group: string): string => `repodata/${group}`;

const packagesIn = async (group: string, found: FoundRepositoryIndex): Promise<readonly ListedPackage[]> =>
  (await found.load()).entries.filter(({ version }) => groupOfVersion(version) === group).map(listedPackage);

/** Whether a group without packages has lists: the root always has, and others have if they lost their last package. */
const isKnown = async (group: string, found: FoundRepositoryIndex): Promise<boolean> =>
  group === '' || ((await found.load()).deleted ?? []).some((version) => groupOfVersion(version) === group);

/** Lists of all packages, which this service writes itself, and other forms of them, which clients do without. */
const isOfPackages = ({ type }: RepodataFile): boolean =>
  /^(?:primary|filelists|other)(?:[_-]|$)|_zck$|_db$|^(?:prestodelta|deltainfo|susedata)/.test(type);

/**
 * What upstreams have beside the lists of their packages, such as updateinfo, groups and modules: of each kind, that of the first source
 * which has it.
 */
const othersOf = async (call: RepodataCall, sources: Sources, group: string): Promise<readonly RepodataFile[]> => {
  const request = fetchRequest(call);
  const repomds = await Promise.all(
    sources.all
      .filter(isRemote)
      .map(async (source) => (await loadDocument(request, source, upstreamRepomd(source, group)))?.read()),
  );
  const files = repomds.flatMap((repomd) => repomd?.files ?? []).filter((file) => !isOfPackages(file));
  return Array.from(Map.groupBy(files, ({ type }) => type).values()).flatMap(([first]) => first ?? []);
};

const noGroup = (group: string): ApiError =>
  new ApiError(
    'FILE_NOT_FOUND',
    group === ''
      ? 'The upstream has no repodata/repomd.xml: check the URL of the remote repository.'
      : `There are no packages in ${group}: check the path, or publish one there.`,
  );

/** The index of the repository of the address, for a group. Throws FILE_NOT_FOUND if no source can have it. */
export const findGroup = async (call: RepodataCall, sources: Sources, group: string): Promise<FoundRepositoryIndex> => {
  const found = await findRepositoryIndex(call, sources, upstreamIndex(group));
  if (!found) throw noGroup(group);
  return found;
};

/** The repomd.xml of a group, and its signature, of the revision that was found. The first read of a revision makes it. */
export const entryDocuments = async (
  call: RepodataCall,
  sources: Sources,
  { group, found }: { readonly group: string; readonly found: FoundRepositoryIndex },
): Promise<EntryDocuments> => {
  return currentSet(call, {
    document: documentOf(group),
    revision: `${found.revision} ${signers()}`,
    hasSnapshots: true,
    make: async () => {
      const packages = await packagesIn(group, found);
      if (packages.length === 0 && !(await isKnown(group, found))) throw noGroup(group);
      const [chunks, others] = [chunksOf(packages), await othersOf(call, sources, group)];
      const lists = await Promise.all(listTypes.map(async (type) => listOf(type, chunks)));
      return {
        files: new Map(lists.map(({ file, bytes }) => [file, bytes])),
        alsoNamed: [signers(), ...others.map(({ file }) => file)],
        entry: async () => {
          const repomd = renderRepomd(lists, others);
          return { repomd, signature: await armoredSignature(repomd, new Date(), call.table.signal) };
        },
      };
    },
  });
};
