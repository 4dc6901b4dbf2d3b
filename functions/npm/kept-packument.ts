import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import type { ManifestForm } from './index-entries.ts';
import type { PackageIndex } from './packument.ts';
import type { UpstreamPackument, UpstreamTarball } from './upstream-packument.ts';

/** A packument of an upstream as the cache has it: one form of each manifest, and the addresses of the tarballs. */
export interface KeptPackument extends PackageIndex {
  readonly entries: readonly IndexEntry[];
  readonly head: JsonObject;
  readonly tarballs: ReadonlyMap<string, UpstreamTarball>;
}

/**
 * Separates the facts of a version from its manifest, so that the manifest needs no parsing. JSON texts contain no control
 * characters, so they contain neither this character nor the end of a line.
 */
const separator = '\u0001';

type Facts = readonly [version: string, time: string, tarball: UpstreamTarball | null];

/** Packs one form of a packument as lines: the head, and one line for each version. */
export const packPackument = (packument: UpstreamPackument, form: ManifestForm): Buffer => {
  const { entries, tarballs, head, tags, created, modified } = packument;
  const lines = entries.map(({ version, parts: [full = '', short = '', time = ''] }) => {
    const facts: Facts = [version, time, tarballs.get(version) ?? null];
    // An upstream may send the abbreviated form only.
    const [kept, other] = form === 'full' && full !== '' ? [full, ''] : ['', short];
    return Buffer.from(`\n${[JSON.stringify(facts), kept, other].join(separator)}`);
  });
  // Each line becomes bytes separately: a single text would take two bytes for each character.
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
