import { ApiError } from '../../shared/errors.ts';
import { armoredSignature, clearsigned } from '../../shared/openpgp/signing.ts';
import { signers } from '../../shared/openpgp/signing-keys.ts';
import {
  currentSet,
  type EntryDocuments,
  lastSet,
  type MadeSet,
} from '../../shared/packages/generations/document-sets.ts';
import type { GenerationCall } from '../../shared/packages/generations/generations.ts';
import type { IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { type FoundRepositoryIndex, findRepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { type ListedDeb, listedPackage } from './index-entries.ts';
import { documentsOf, kindsOf, type ListedKinds, listsOf } from './lists.ts';
import { placeOf } from './paths.ts';
import { renderRelease } from './release.ts';
import { type ReadRelease, readRelease } from './release-reader.ts';
import { upstreamIndex } from './upstream-lists.ts';

type DistributionCall = GenerationCall & IndexCall;

/** The document of the generations of a distribution. */
export const documentOf = (distribution: string): string => `dists/${distribution}`;

const noDistribution = (distribution: string): ApiError =>
  new ApiError(
    'FILE_NOT_FOUND',
    `There are no packages in the distribution ${distribution}: check its name, or publish one there.`,
  );

/** The index of the repository of the address, for a distribution. Throws FILE_NOT_FOUND if no source can have it. */
export const findDistribution = async (
  call: DistributionCall,
  sources: Sources,
  distribution: string,
): Promise<FoundRepositoryIndex> => {
  const found = await findRepositoryIndex(call, sources, upstreamIndex(distribution));
  if (!found) throw noDistribution(distribution);
  return found;
};

/** The Release of a distribution that this service made last; undefined if it has made none. */
export const lastRelease = (documents: EntryDocuments | undefined): ReadRelease | undefined =>
  documents?.Release === undefined ? undefined : readRelease('Release', Buffer.from(documents.Release));

const packagesIn = async (distribution: string, found: FoundRepositoryIndex): Promise<readonly ListedDeb[]> =>
  (await found.load()).entries
    .filter(({ version }) => placeOf(version).distribution === distribution)
    .map(listedPackage);

/** Where the packages were that a distribution lost. */
const deletedFrom = async (distribution: string, found: FoundRepositoryIndex) => {
  const { deleted = [] } = await found.load();
  return deleted.map(placeOf).filter((place) => place.distribution === distribution);
};

/** Clients ignore a Release that is older than the one that they have: the clocks of two functions may differ. */
const dateBehind = (last: ReadRelease | undefined): Date => new Date(Math.max(Date.now(), last?.date?.getTime() ?? 0));

const setOf = async (
  call: DistributionCall,
  distribution: string,
  packages: readonly ListedDeb[],
  { kinds, last }: { readonly kinds: ListedKinds; readonly last: ReadRelease | undefined },
): Promise<MadeSet> => {
  const lists = await listsOf(packages, kinds);
  const documents = documentsOf(lists);
  return {
    files: new Map(lists.map(({ sha256, bytes }) => [sha256, bytes])),
    alsoNamed: [signers(), ...documents.map(({ path, sha256 }) => `${path} ${sha256}`)],
    entry: async () => {
      const date = dateBehind(last);
      const release = renderRelease({ distribution, date, ...kinds, documents });
      const { signal } = call.table;
      return {
        Release: release,
        InRelease: await clearsigned(release, date, signal),
        'Release.gpg': await armoredSignature(release, date, signal),
      };
    },
  };
};

/**
 * The Release of a distribution and its signatures, of the revision that was found. The first read of a revision makes them. A distribution
 * that has lost its last package has the lists that it had, or those of its deleted packages, and they are empty. Throws FILE_NOT_FOUND if there never was one.
 */
export const entryDocuments = async (
  call: DistributionCall,
  distribution: string,
  found: FoundRepositoryIndex,
): Promise<EntryDocuments> =>
  currentSet(call, {
    document: documentOf(distribution),
    revision: `${found.revision} ${signers()}`,
    make: async () => {
      const packages = await packagesIn(distribution, found);
      const last = lastRelease(await lastSet(call, documentOf(distribution)));
      if (packages.length > 0) return setOf(call, distribution, packages, { kinds: kindsOf(packages), last });
      const deleted = await deletedFrom(distribution, found);
      if (!last && deleted.length === 0) throw noDistribution(distribution);
      return setOf(call, distribution, packages, { kinds: last ?? kindsOf(deleted), last });
    },
  });
