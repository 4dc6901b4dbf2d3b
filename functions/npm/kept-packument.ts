import type { IndexEntry } from '../../shared/packages/index-entry.ts';
import type { ManifestForm } from './index-entries.ts';
import type { JsonObject } from './json.ts';
import type { PackageIndex } from './packument.ts';
import type { UpstreamPackument, UpstreamTarball } from './upstream-packument.ts';

/** A packument of an upstream as the cache has it: one form of each manifest, and the addresses of the tarballs. */
export interface KeptPackument extends PackageIndex {
  readonly entries: readonly IndexEntry[];
  readonly head: JsonObject;
  readonly tarballs: ReadonlyMap<string, UpstreamTarball>;
}

/**
 * Stands between the facts of a version and its manifest, which is not parsed to be passed on: JSON has no control
 * characters, so no text contains it, or the end of a line.
 */
const separator = '\u0001';

type Facts = readonly [version: string, time: string, tarball: UpstreamTarball | null];

/** Packs one form of a packument as lines: the head, and one line for each version. */
export const packPackument = (packument: UpstreamPackument, form: ManifestForm): Buffer => {
  const { entries, tarballs, head, tags, created, modified } = packument;
  const lines = entries.map(({ version, parts: [full = '', short = '', time = ''] }) => {
    const facts: Facts = [version, time, tarballs.get(version) ?? null];
    // An upstream may know no full form.
    const [kept, other] = form === 'full' && full !== '' ? [full, ''] : ['', short];
    return Buffer.from(`\n${[JSON.stringify(facts), kept, other].join(separator)}`);
  });
  // Line by line: one text would take two bytes for each character.
  return Buffer.concat([Buffer.from(JSON.stringify({ head, tags, created, modified })), ...lines]);
};

/** Reads what `packPackument` made. */
export const unpackPackument = (kept: Uint8Array): KeptPackument => {
  const [first = '', ...lines] = Buffer.from(kept.buffer, kept.byteOffset, kept.length).toString().split('\n');
  const tarballs = new Map<string, UpstreamTarball>();
  const entries = lines.map((line): IndexEntry => {
    const [facts = '', full = '', short = ''] = line.split(separator);
    const [version, time, tarball] = JSON.parse(facts) as Facts;
    if (tarball) tarballs.set(version, tarball);
    return { version, revision: 1, parts: [full, short, time] };
  });
  return { ...(JSON.parse(first) as Omit<KeptPackument, 'entries' | 'tarballs'>), entries, tarballs };
};
