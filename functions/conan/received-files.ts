import { ApiError } from '../../shared/errors.ts';
import { refusing } from '../../shared/packages/formats/format-refusals.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { type AddedFile, infoFile, manifestFile } from './index-entries.ts';
import { needsIn } from './manifest.ts';
import type { ConanPath } from './paths.ts';

/** The largest file that is read: a manifest names each file of a binary. */
const textBytesMax = 16_000_000;

const textOf = async (file: string, received: ReceivedFile): Promise<string> => {
  if (received.size > textBytesMax)
    throw new ApiError('PACKAGE_INVALID', `${file} has ${received.size} bytes, and may have at most ${textBytesMax}.`);
  return (await received.bytes()).toString();
};

/** Refuses bytes that are not those of which the client says the SHA-1. */
export const checkSha1 = (announced: string | undefined, { file }: ConanPath, { hashes }: ReceivedFile): void => {
  if (announced === undefined || hashes.sha1 === undefined || announced.toLowerCase() === hashes.sha1) return;
  throw new ApiError(
    'PACKAGE_INVALID',
    `${file} arrived with the SHA-1 ${hashes.sha1}, and X-Checksum-Sha1 says ${announced}: send it again.`,
  );
};

/** What the index learns of a file. Throws BODY_MALFORMED and PACKAGE_INVALID. */
export const addedBy = async ({ reference, file }: ConanPath, received: ReceivedFile): Promise<AddedFile> => {
  if (file === manifestFile) {
    const text = await textOf(file, received);
    return { file, needs: refusing(() => needsIn(text)) };
  }
  if (file === infoFile && reference.packageId !== undefined) return { file, info: await textOf(file, received) };
  return { file };
};
