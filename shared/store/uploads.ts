import { presigned } from './signatures.ts';

/** The seconds within which the upload to a URL must begin. */
const uploadUrlLifetimeSeconds = 3_600;

/** What a client is to upload, and where to. */
export interface ExpectedUpload {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/** A request that uploads one file: its URL, and the header that it must have. */
export interface UploadAddress {
  readonly url: string;
  readonly header: string;
}

/**
 * A URL to which a client uploads exactly these bytes with PUT. The signature covers the length and the SHA-256, so S3 itself
 * refuses others. It ignores a checksum in the query (aws-sdk-go-v2#2610), so the client must send it as a header.
 */
export const uploadAddress = async ({ key, size, sha256 }: ExpectedUpload): Promise<UploadAddress> => {
  const checksum = Buffer.from(sha256, 'hex').toString('base64');
  const headers = { 'content-length': String(size), 'x-amz-checksum-sha256': checksum };
  const url = await presigned({ method: 'PUT', key, headers }, uploadUrlLifetimeSeconds);
  return { url, header: `x-amz-checksum-sha256: ${checksum}` };
};

/** A part of a file that a client is to upload by itself. */
export interface ExpectedPart {
  readonly key: string;
  readonly uploadId: string;
  readonly number: number;
  readonly size: number;
}

/**
 * A URL to which a client uploads one part of a multipart upload with PUT, as often as it likes until the upload is
 * completed. The signature covers the length.
 */
export const partAddress = async ({ key, uploadId, number, size }: ExpectedPart): Promise<string> =>
  presigned(
    {
      method: 'PUT',
      key,
      query: { partNumber: String(number), uploadId },
      headers: { 'content-length': String(size) },
    },
    uploadUrlLifetimeSeconds,
  );
