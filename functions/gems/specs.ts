import { gzippedParts } from '../../shared/gzip.ts';
import { readVersionText } from './full-names.ts';
import { versionObject } from './gemspec-dump.ts';
import { list, type Marshalled, marshalList, text } from './marshal.ts';
import type { SpecsList } from './paths.ts';
import { compareInSegments, isPrerelease, segmentsToCompare } from './versions.ts';
import type { ListedGem } from './versions-list.ts';

/** A gem, and those of its versions that a list has. */
type Chosen = Pick<ListedGem, 'name' | 'versions'>;

/** The newest version for each platform. */
const newest = (texts: readonly string[]): readonly string[] => {
  const found = new Map<string, { readonly text: string; readonly segments: readonly string[] }>();
  for (const each of texts) {
    const { version, platform = 'ruby' } = readVersionText(each) ?? {};
    if (version === undefined) continue;
    const [known, segments] = [found.get(platform), segmentsToCompare(version)];
    if (!known || compareInSegments(known.segments, segments) < 0) found.set(platform, { text: each, segments });
  }
  return Array.from(found.values(), (each) => each.text);
};

/** The versions of a gem, with their platforms, that a list has. */
const chosen = ({ versions }: ListedGem, which: SpecsList): readonly string[] => {
  const isWanted = which === 'prerelease_specs';
  const texts = versions.filter((each) => {
    const { version } = readVersionText(each) ?? {};
    return version !== undefined && isPrerelease(version) === isWanted;
  });
  return which === 'latest_specs' ? newest(texts) : texts;
};

/** The entries of a gem: each names its platform, also that of gems for every platform. */
const entriesOf = ({ name, versions }: Chosen): Marshalled => {
  const marshalledName = text(name);
  return versions
    .flatMap((each) => readVersionText(each) ?? [])
    .map(({ version, platform = 'ruby' }) => list([marshalledName, versionObject(version), text(platform)]))
    .join('');
};

function* entriesOfAll(gems: readonly Chosen[]): Generator<Marshalled> {
  for (const gem of gems) yield entriesOf(gem);
}

/**
 * A list of names, versions and platforms, in the Marshal form that `gem` reads, gzipped. Before that, the one of a large upstream has a
 * hundred megabytes, of which no more than a part is in memory at once.
 */
export const renderSpecs = async (gems: readonly ListedGem[], which: SpecsList): Promise<Buffer> => {
  const listed = gems.map((gem) => ({ name: gem.name, versions: chosen(gem, which) }));
  const count = listed.reduce((sum, { versions }) => sum + versions.length, 0);
  return gzippedParts(marshalList(count, entriesOfAll(listed)));
};
