import type { Hmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StagedUpload } from '../store/received-file.ts';

/** The bytes of a request, as a stream: each begins anew. */
export interface ByteBody {
  readonly length: number;
  /** The media type of the request; undefined if it names none. */
  readonly mediaType: string | undefined;
  /** Set if the bytes are in the staging area of the store: the door put them there. Nobody needs to read them to store them. */
  readonly staged?: StagedUpload;
  stream(): Readable;
}

/** A file in a multipart body. Its stream must be read to the end before the next part comes. */
export interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly stream: Readable;
}

/**
 * A multipart body, which is read part by part. `onFile` receives files of any size, before the fields behind them are checked:
 * it must store nothing that lasts. No file is read behind a field that breaks a rule.
 */
export interface MultipartBody<Fields> {
  /** Adds the whole body to a hash, but for the boundary: a client chooses a new one each time it is called. */
  addTo(hash: Hmac): Promise<void>;
  read<T>(onFile: (file: FilePart) => Promise<T>): Promise<{ readonly fields: Fields; readonly files: readonly T[] }>;
}

/** A file in a form, and the name of its field. */
export interface FormFile extends FilePart {
  readonly field: string;
}

/**
 * A form of a package type's client, which is read part by part. `onFile` receives files of any size, before the fields behind
 * them are read: it must store nothing that lasts. A field that was sent several times has all of its values, in their order.
 */
export interface FormBody {
  read<T>(onFile: (file: FormFile) => Promise<T>): Promise<{
    readonly fields: ReadonlyMap<string, readonly string[]>;
    readonly files: readonly T[];
  }>;
}

/** The statuses of an answer of bytes: with them, created, accepted, and without any. */
export type BytesStatus = 200 | 201 | 202 | 204;

/** An answer of bytes. If it has an ETag, conditional requests and ranges work. */
export interface BytesResult {
  readonly kind: 'bytes';
  /** The default is 200. */
  readonly status?: BytesStatus;
  readonly mediaType: string;
  /** Absent if the client has the bytes already. */
  readonly content?: Uint8Array | string;
  /** A strong entity tag, with its quotes. */
  readonly etag?: string;
  /** A date that stands for the tag. */
  readonly lastModified?: string | undefined;
  /** What a range beyond the end of the bytes gets. By default, it is the refusal 416. */
  readonly beyondEnd?: 'all bytes';
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that redirects the client. */
export interface RedirectResult {
  readonly kind: 'redirect';
  /** An absolute URL. */
  readonly location: string;
  /** A strong entity tag of what is there, with its quotes: a client that has it is answered at once. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
