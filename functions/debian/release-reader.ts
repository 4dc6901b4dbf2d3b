import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { NamedDocument } from './release.ts';

/** What a Release says, of this service or of an upstream. */
export interface ReadRelease {
  readonly components: readonly string[];
  readonly architectures: readonly string[];
  /** Whether its documents can be asked for by their hashes. */
  readonly hasHashes: boolean;
  /** Undefined if it has none that can be read. */
  readonly date: Date | undefined;
  /** What it names, by the path from its directory. */
  readonly documents: ReadonlyMap<string, NamedDocument>;
  /** The paths of its documents, by their hashes of any kind. */
  readonly pathsByHash: ReadonlyMap<string, string>;
}

const frame = /^-----BEGIN PGP SIGNED MESSAGE-----\n(?:Hash: [^\n]*\n)*\n/;

/** The text in a document that has its signature around it. Throws a FormatProblem. */
const signedText = (text: string): string => {
  const [start] = frame.exec(text) ?? [];
  const end = text.indexOf('\n-----BEGIN PGP SIGNATURE-----\n');
  if (start === undefined || end < 0 || !/\n-----END PGP SIGNATURE-----\n*$/.test(text.slice(-100)))
    throw malformed('The InRelease is not signed as a whole, or was cut.');
  return text.slice(start.length, end + 1).replace(/^- /gm, '');
};

/** The lines of each field of a text, by its name in small letters: the first is what stands behind the colon. */
export const fieldsIn = (text: string): ReadonlyMap<string, readonly string[]> => {
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith(' ')) current?.push(line);
    else {
      const colon = line.indexOf(':');
      current = [line.slice(colon + 1).trim()];
      fields.set(line.slice(0, Math.max(0, colon)).toLowerCase(), current);
    }
  }
  return fields;
};

/** The documents that a field names by their SHA-256 or SHA-512. */
export const hashedLines = (lines: readonly string[] = []): readonly NamedDocument[] =>
  lines.slice(1).flatMap((line) => {
    const [, sha256, size, path] = /^ +([0-9a-f]{64}|[0-9a-f]{128}) +(\d{1,15}) +(\S+) *$/.exec(line) ?? [];
    return sha256 === undefined || path === undefined ? [] : [{ path, sha256, size: Number(size) }];
  });

const words = (lines: readonly string[] = []): readonly string[] =>
  (lines[0] ?? '').split(' ').filter((word) => word !== '');

/** Reads a Release, or an InRelease. Throws a FormatProblem. */
export const readRelease = (entry: 'InRelease' | 'Release', sent: Uint8Array): ReadRelease => {
  const whole = Buffer.from(sent.buffer, sent.byteOffset, sent.length).toString();
  const text = entry === 'InRelease' ? signedText(whole) : whole;
  const fields = fieldsIn(text);
  const [named, others] = [hashedLines(fields.get('sha256')), hashedLines(fields.get('sha512'))];
  if (!fields.has('sha256') || !text.endsWith('\n'))
    throw malformed(`The ${entry} names no documents by their SHA-256, or was cut.`);
  const date = new Date(words(fields.get('date')).join(' '));
  return {
    components: words(fields.get('components')),
    architectures: words(fields.get('architectures')),
    hasHashes: fields.get('acquire-by-hash')?.[0] === 'yes',
    date: Number.isNaN(date.getTime()) ? undefined : date,
    documents: new Map(named.map((document) => [document.path, document])),
    pathsByHash: new Map([...named, ...others].map(({ sha256, path }) => [sha256, path])),
  };
};
