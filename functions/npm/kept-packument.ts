import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import type { ManifestForm } from './index-entries.ts';
import type { PackageIndex } from './packument.ts';
import type { UpstreamPackument, UpstreamTarball } from './upstream-packument.ts';

/**
 * A packument of an upstream as the cache has it: one form of each manifest, and the addresses of the tarballs. It stays in memory
 * as bytes, which take less of it than what is in them, and the address of one tarball is found without the rest.
 */
export interface KeptPackument extends PackageIndex {
  readonly head: JsonObject;
  readonly tarballOf: (version: string) => UpstreamTarball | undefined;
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
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.length);
  const end = bytes.indexOf('\n');
  const first = JSON.parse(bytes.toString('utf8', 0, end < 0 ? bytes.length : end)) as Omit<KeptPackument, 'entries'>;
  return {
    ...first,
    entries: entriesIn(bytes),
    tarballOf: (version) => tarballIn(bytes, version),
  };
};

/** Reads the entries when they are wanted. They stay until their memory is: a gate looks at them for each tarball. */
const entriesIn = (bytes: Buffer): Iterable<IndexEntry> => {
  let known: WeakRef<readonly IndexEntry[]> | undefined;
  return {
    [Symbol.iterator]: () => {
      const entries = known?.deref() ?? bytes.toString().split('\n').slice(1).map(entryOfLine);
      known = new WeakRef(entries);
      return entries.values();
    },
  };
};

const entryOfLine = (line: string): IndexEntry => {
  const [facts = '', full = '', short = ''] = line.split(separator);
  const [version, time] = JSON.parse(facts) as Facts;
  return { version, revision: 1, parts: [full, short, time] };
};

const tarballIn = (bytes: Buffer, version: string): UpstreamTarball | undefined => {
  const start = bytes.indexOf(`\n${JSON.stringify([version]).slice(0, -1)},`);
  if (start < 0) return undefined;
  const [, , tarball] = JSON.parse(bytes.toString('utf8', start, bytes.indexOf(separator, start))) as Facts;
  return tarball ?? undefined;
};
