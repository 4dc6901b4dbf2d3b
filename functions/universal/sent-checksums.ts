import { ApiError } from '../../shared/errors.ts';
import { type FileHashes, hashNames } from '../../shared/store/hashes.ts';

/** A checksum of a body, as a header of its request has it. */
interface SentChecksum {
  readonly header: string;
  readonly hash: keyof FileHashes;
  readonly value: string;
  readonly encoding: 'hex' | 'base64';
}

const byteLengths: Readonly<Record<keyof FileHashes, number>> = { sha256: 32, sha512: 64, sha1: 20, md5: 16 };

/** The names of the algorithms in RFC 9530. Those that are not computed are ignored, as it says. */
const algorithms: ReadonlyMap<string, keyof FileHashes> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
  ['sha', 'sha1'],
  ['md5', 'md5'],
]);

/** A member of a dictionary whose values are bytes (RFC 9651), with its parameters. */
const digestMember = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*)={0,2}:(?:;.*)?$/;

const malformed = (header: string, form: string): ApiError =>
  new ApiError('PACKAGE_INVALID', `The header ${header} must be ${form}, or left out. Nothing was published.`);

const inHex = (header: string, hash: keyof FileHashes, value: string): SentChecksum => {
  const digits = byteLengths[hash] * 2;
  if (value.length !== digits || !/^[0-9a-f]+$/i.test(value))
    throw malformed(header, `the checksum of the body in ${digits} hexadecimal digits`);
  return { header, hash, value: value.toLowerCase(), encoding: 'hex' };
};

const inDictionary = (header: string, text: string): SentChecksum[] =>
  text.split(',').flatMap((member) => {
    const [, algorithm, value = ''] = digestMember.exec(member.trim()) ?? [];
    const hash = algorithms.get(algorithm ?? '');
    if (algorithm === undefined || (hash && Buffer.from(value, 'base64').length !== byteLengths[hash]))
      throw malformed(header, 'one or several digests of the body in base64 between colons, as in sha-256=:…:');
    return hash ? [{ header, hash, value, encoding: 'base64' as const }] : [];
  });

/** The checksums that come with a body. Throws PACKAGE_INVALID if one is malformed. API Gateway keeps Content-MD5 to itself. */
export const sentChecksums = (headerOf: (name: string) => string | undefined): readonly SentChecksum[] => [
  ...hashNames.flatMap((hash) => {
    const header = `X-Checksum-${hash.replace(/^./, (first) => first.toUpperCase())}`;
    const value = headerOf(header.toLowerCase());
    return value === undefined ? [] : [inHex(header, hash, value)];
  }),
  ...['Content-Digest', 'Repr-Digest'].flatMap((header) => {
    const text = headerOf(header.toLowerCase());
    return text === undefined ? [] : inDictionary(header, text);
  }),
];

/** Refuses bytes that do not have the checksums which came with them. */
export const compareChecksums = (sent: readonly SentChecksum[], hashes: FileHashes): void => {
  for (const { header, hash, value, encoding } of sent) {
    const known = Buffer.from(hashes[hash] ?? '', 'hex')
      .toString(encoding)
      .replaceAll('=', '');
    if (known !== '' && known !== value)
      throw new ApiError(
        'PACKAGE_INVALID',
        `The body arrived with the ${hash} ${known}, and ${header} says ${value}: it was changed on its way, or is another file. Send it again, or correct the header. Nothing was published.`,
      );
  }
};
