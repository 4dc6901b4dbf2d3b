/** The headers of the door's own requests. It takes every header with this prefix out of what clients send. */
export const doorHeaderPrefix = 'x-stockroom-';

/** Of the question whether a caller may send a body, with the value `ask`; and of the answer, with `allowed`. */
export const askHeader = 'x-stockroom-upload';

/** How long the body is that the question is about. */
export const lengthHeader = 'x-stockroom-upload-length';

/** The reference to a staged body. */
export const referenceHeader = 'x-stockroom-body';

/** An object that a body becomes at once: S3 itself checks that the bytes have this SHA-256, in hex. */
export interface UploadDestination {
  readonly key: string;
  readonly sha256: string;
}

/** What the door is told of a body that a caller may send. */
export interface UploadTerms {
  /** The ID of the actor. */
  readonly caller: string;
  readonly bytesMax: number;
  /** The hashes that the endpoint needs. */
  readonly hashes: readonly ('sha256' | 'sha512' | 'sha1' | 'md5')[];
  /** Where the body belongs, if its length is known and the request names its SHA-256. */
  readonly destination?: UploadDestination;
  /** Set if the staged body is still needed after a success. */
  readonly keepsBody?: true;
}
