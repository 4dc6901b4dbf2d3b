import { buffer } from 'node:stream/consumers';
import { chunksOf } from '../chunks.ts';
import { config } from '../config.ts';
import { callStore, StoreError } from './client.ts';
import type { ByteRange } from './objects.ts';

/** A part of a multipart upload that S3 has. */
interface Part {
  readonly number: number;
  readonly etag: string;
}

/** A part as S3 lists it. */
export interface ListedPart extends Part {
  readonly size: number;
}

/**
 * An upload in parts that is neither completed nor aborted. The lifecycle of the bucket removes uploads that a crash
 * leaves behind.
 */
export class MultipartUpload {
  readonly uploadId: string;
  private readonly key: string;
  private readonly signal: AbortSignal;
  private readonly silenceMilliseconds: number | undefined;
  private readonly parts: Part[] = [];

  /** An upload that was begun before. S3 may be silent for the given time while it copies or completes. */
  constructor(key: string, uploadId: string, signal: AbortSignal, silenceMilliseconds?: number) {
    this.key = key;
    this.uploadId = uploadId;
    this.signal = signal;
    this.silenceMilliseconds = silenceMilliseconds;
  }

  static async begin(key: string, signal: AbortSignal, silenceMilliseconds?: number): Promise<MultipartUpload> {
    const { body } = await callStore({ method: 'POST', key, query: { uploads: '' } }, [200], signal);
    return new MultipartUpload(key, element('UploadId', await text(body)), signal, silenceMilliseconds);
  }

  /** The first 1,000 parts in their order; undefined if the upload was completed or aborted. */
  async list(): Promise<readonly ListedPart[] | undefined> {
    const query = { uploadId: this.uploadId };
    const { status, body } = await callStore({ method: 'GET', key: this.key, query }, [200, 404], this.signal);
    const xml = await text(body);
    if (status === 404) return undefined;
    return Array.from(xml.matchAll(/<Part>(.*?)<\/Part>/gs), ([, part = '']) => ({
      number: Number(element('PartNumber', part)),
      etag: element('ETag', part),
      size: Number(element('Size', part)),
    }));
  }

  /** Sends the next part. Every part except the last has at least 5 MiB. */
  async add(bytes: Uint8Array): Promise<void> {
    await this.put(this.parts.length + 1, bytes);
  }

  /** Sends the part with this number. */
  async put(number: number, bytes: Uint8Array): Promise<void> {
    const query = { partNumber: String(number), uploadId: this.uploadId };
    const { headers, body } = await callStore({ method: 'PUT', key: this.key, query }, [200], this.signal, bytes);
    body.resume();
    this.parts.push({ number, etag: String(headers.etag) });
  }

  /** Copies a part of another object, inside S3. */
  async copy(number: number, sourceKey: string, [first, last]: ByteRange): Promise<void> {
    const query = { partNumber: String(number), uploadId: this.uploadId };
    const headers = {
      'x-amz-copy-source': `/${config.storeBucket}/${sourceKey}`,
      'x-amz-copy-source-range': `bytes=${first}-${last}`,
    };
    const call = {
      method: 'PUT',
      key: this.key,
      query,
      headers,
      silenceMilliseconds: this.silenceMilliseconds,
    } as const;
    const { body } = await callStore(call, [200], this.signal);
    this.parts.push({ number, etag: element('ETag', await text(body)) });
  }

  /**
   * Makes the object from its parts, unless the key has an object; with an ETag, only in place of the object that has it. By default,
   * from the parts that were added and copied here.
   */
  async completeOnce(parts: readonly Part[] = this.parts, etag?: string): Promise<void> {
    const listed = parts
      .toSorted((one, other) => one.number - other.number)
      .map((part) => `<Part><PartNumber>${part.number}</PartNumber><ETag>${part.etag}</ETag></Part>`);
    const xml = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`;
    const { key, silenceMilliseconds } = this;
    const query = { uploadId: this.uploadId };
    // 404: an earlier try, whose reply was lost, has completed it.
    const { status, body } = await callStore(
      {
        method: 'POST',
        key,
        query,
        headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag },
        silenceMilliseconds,
      },
      [200, 404, 412],
      this.signal,
      Buffer.from(xml),
    );
    const answer = await text(body);
    // S3 may begin its 200 before it knows whether it can complete.
    const isThere = status === 412 || answer.includes('<Code>PreconditionFailed</Code>');
    if (status === 200 && !isThere && answer.includes('<Error>'))
      throw new StoreError(`S3 could not complete an upload: ${answer}`);
    if (isThere) await this.abort();
  }

  async abort(): Promise<void> {
    const query = { uploadId: this.uploadId };
    const { body } = await callStore({ method: 'DELETE', key: this.key, query }, [204, 200, 404], this.signal);
    body.resume();
  }
}

const text = async (body: AsyncIterable<Uint8Array>): Promise<string> => (await buffer(body)).toString();

/** The text of an element in an answer of S3. Elements with these names never nest. */
const element = (name: string, xml: string): string => {
  const [, value] = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml) ?? [];
  if (value === undefined) throw new StoreError(`S3 answered without ${name}.`);
  return value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
};

/** S3 copies some hundred megabytes a second for each call: 5 GB in 80 calls, 20 at once, take a few seconds. */
const copiedPartBytes = 64 * 1024 * 1024;
const copiesAtOnce = 20;

/**
 * Copies an object inside S3, in parts, unless the target key has an object; with an ETag, only in place of the object that has it,
 * because that is damaged.
 */
export const copyObjectOnce = async (
  { sourceKey, size }: { readonly sourceKey: string; readonly size: number },
  { key, etag }: { readonly key: string; readonly etag?: string },
  signal: AbortSignal,
): Promise<void> => {
  const upload = await MultipartUpload.begin(key, signal);
  const starts = Array.from({ length: Math.max(1, Math.ceil(size / copiedPartBytes)) }, (_, index) => index);
  const copyPart = (index: number): Promise<void> =>
    upload.copy(index + 1, sourceKey, [index * copiedPartBytes, Math.min(size, (index + 1) * copiedPartBytes) - 1]);
  try {
    for (const batch of chunksOf(starts, copiesAtOnce)) await Promise.all(batch.map(copyPart));
    await upload.completeOnce(undefined, etag);
  } catch (error) {
    // The lifecycle removes the rest later. Removing it now saves space, and may fail.
    await upload.abort().catch(() => {});
    throw error;
  }
};
