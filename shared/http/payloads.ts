import type { Readable } from 'node:stream';

/** The bytes of a request, wherever they are: read as a stream, once. */
export interface ByteBody {
  readonly length: number;
  /** As the request names it; undefined when it does not. */
  readonly mediaType: string | undefined;
  stream(): Readable;
}

/** A file in a multipart body. Its stream must be read to the end before the next part comes. */
export interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly stream: Readable;
}

/** A multipart body, read part by part: files of any size pass through `onFile`, then the fields are checked. */
export interface MultipartBody<Fields> {
  read<T>(onFile: (file: FilePart) => Promise<T>): Promise<{ readonly fields: Fields; readonly files: readonly T[] }>;
}

/** An answer of bytes. With an ETag, conditional requests and ranges are answered. */
export interface BytesResult {
  readonly kind: 'bytes';
  /** 200 when absent. */
  readonly status?: 200 | 201;
  readonly mediaType: string;
  /** Absent where the client has it already. */
  readonly content?: Uint8Array | string;
  /** A strong entity tag with its quotes. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that sends the client elsewhere. */
export interface RedirectResult {
  readonly kind: 'redirect';
  /** An absolute URL. */
  readonly location: string;
  readonly headers?: Readonly<Record<string, string>>;
}
