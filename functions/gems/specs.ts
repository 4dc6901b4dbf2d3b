import { gzipSync } from 'node:zlib';
import { readVersionText } from './full-names.ts';
import { versionObject } from './gemspec-dump.ts';
import { list, marshalDocument, text } from './marshal.ts';
import type { SpecsList } from './paths.ts';
import { compareVersions, isPrerelease } from './versions.ts';
import type { ListedGem } from './versions-list.ts';

/** A version in a list, which names every platform. */
interface Spec {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
}

const specsOf = ({ name, versions }: ListedGem): readonly Spec[] =>
  versions.flatMap((each) => {
    const { version, platform = 'ruby' } = readVersionText(each) ?? {};
    return version === undefined ? [] : [{ name, version, platform }];
  });

/** The newest version for each platform. */
const newest = (specs: readonly Spec[]): readonly Spec[] => {
  const found = new Map<string, Spec>();
  for (const spec of specs) {
    const known = found.get(spec.platform);
    if (!known || compareVersions(known.version, spec.version) < 0) found.set(spec.platform, spec);
  }
  return [...found.values()];
};

const chosen = (gem: ListedGem, which: SpecsList): readonly Spec[] => {
  const { true: prereleases = [], false: releases = [] } = Object.groupBy(specsOf(gem), ({ version }) =>
    isPrerelease(version) ? 'true' : 'false',
  );
  if (which === 'prerelease_specs') return prereleases;
  return which === 'specs' ? releases : newest(releases);
};

/** A list of names, versions and platforms, in the Marshal form that `gem` reads, gzipped. */
export const renderSpecs = (gems: readonly ListedGem[], which: SpecsList): Buffer => {
  const specs = gems.flatMap((gem) => chosen(gem, which));
  const items = specs.map(({ name, version, platform }) => list([text(name), versionObject(version), text(platform)]));
  return gzipSync(marshalDocument(list(items)));
};
