import { ApiError } from '../../shared/errors.ts';
import type { BlobUpload } from '../../shared/table/blob-uploads.ts';
import { outOfOrder } from './blob-uploads.ts';

/**
 * Refuses a chunk that does not begin where the upload ends. `header` is the Content-Range of a request, which may be absent: the
 * bytes are then those that follow. The specification of distribution has no unit and no total in it, and some clients send both.
 */
export const checkRange = (header: string | undefined, upload: Pick<BlobUpload, 'size'>, length: number): void => {
  if (header === undefined) return;
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/.exec(header.trim()) ?? [];
  if (first === undefined || last === undefined || Number(first) !== upload.size) throw outOfOrder(upload);
  if (length > 0 && Number(last) - Number(first) + 1 !== length)
    throw new ApiError(
      'UPLOAD_RANGE_INVALID',
      `Content-Range names ${Number(last) - Number(first) + 1} bytes, and the request has ${length}.`,
    );
};
