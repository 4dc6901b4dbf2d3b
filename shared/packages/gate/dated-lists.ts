import { firstSeen, type ReleaseTimes } from '../../table/packages/release-times.ts';
import type { LoadedDocument } from '../fetch/remote-documents.ts';
import type { Release } from '../releases/gate-of.ts';

/** Of so many versions, the highest ones, an upstream is asked for their times. */
const askedMax = 5;

/** The release of a version whose time was asked for. */
export const askedRelease = (
  version: string,
  publishedAt: number | undefined,
  times: ReleaseTimes | undefined,
): Release => ({ id: version, version, publishedAt, seenAt: firstSeen(times, version) });

/**
 * A list without times with the releases in it. What the list lacked before counts from when it was first seen with it; the highest versions
 * are asked for, because at first all are new: `askedOf` returns the release of one, undefined if nothing else than the list says anything of it.
 * `versions` begin with the highest.
 */
export const datedList = async <D>(
  loaded: LoadedDocument<D>,
  versions: readonly string[],
  askedOf: (version: string) => Promise<Release | undefined>,
): Promise<LoadedDocument<D>> => {
  const { times } = loaded;
  const asked = await Promise.all(
    versions
      .slice(0, askedMax)
      .map(async (version) => (await askedOf(version)) ?? askedRelease(version, undefined, times)),
  );
  const others = versions
    .slice(askedMax)
    .map((version) => ({ id: version, version, publishedAt: firstSeen(times, version) ?? 0 }));
  return { ...loaded, releases: [...asked, ...others] };
};
