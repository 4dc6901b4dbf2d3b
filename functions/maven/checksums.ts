import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import type { ByteBody, BytesResult } from '../../shared/http/payloads.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { PackageFile } from '../../shared/table/packages/packages.ts';
import type { Checksum } from './paths.ts';

/** What media type the checksums have. */
export const checksumMediaType = 'text/plain; charset=utf-8';

const hexLengths: Readonly<Record<Checksum, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

/** A checksum file has the hash alone, or with the name of the file before or after it. */
export const checksumIn = (content: string, checksum: Checksum): string | undefined =>
  new RegExp(`(?<![0-9a-f])[0-9a-f]{${hexLengths[checksum]}}(?![0-9a-f])`, 'i').exec(content)?.[0].toLowerCase();

/** A checksum of a stored file; undefined if nobody has computed it. */
const checksumOf = ({ blob, ...hashes }: PackageFile, checksum: Checksum): string | undefined =>
  checksum === 'sha256' ? blob.sha256 : hashes[checksum];

/** A checksum of a computed document. */
export const checksumOfBytes = (bytes: Uint8Array, checksum: Checksum): string =>
  createHash(checksum).update(bytes).digest('hex');

/** Answers with a checksum of a stored file. */
export const checksumAnswer = (
  file: PackageFile,
  checksum: Checksum,
  headers: Readonly<Record<string, string>>,
): BytesResult => {
  const content = checksumOf(file, checksum);
  if (content === undefined)
    throw new ApiError(
      'FILE_NOT_FOUND',
      `Only the SHA-256 of '${file.file}' is known, because nobody has read the file.`,
    );
  return { kind: 'bytes', mediaType: checksumMediaType, headers, content, etag: `"${content}"` };
};

/** The maximum size of a file with a checksum: it is read as a whole. */
const fileBytesMax = 64 * 1024;

/** Refuses the checksum that a client sends after a file, if the stored file has another one. */
export const compareChecksum = async (
  body: ByteBody,
  { name, version, file }: FileAddress,
  stored: PackageFile | undefined,
  checksum: Checksum,
): Promise<void> => {
  const sent = body.length > fileBytesMax ? undefined : checksumIn(await text(body.stream()), checksum);
  if (sent === undefined)
    throw new ApiError('PACKAGE_INVALID', `The body must be the ${checksum} of '${file}' in hexadecimal.`);
  if (!stored)
    throw new ApiError('FILE_NOT_FOUND', `There is no '${file}' in ${name} ${version}: send it before its checksum.`);
  const known = checksumOf(stored, checksum);
  if (known !== undefined && known !== sent)
    throw new ApiError(
      'VERSION_EXISTS',
      `'${file}' of ${name} ${version} exists with the ${checksum} ${known}, and not ${sent}: it was changed on its way, or is another file.`,
    );
};
