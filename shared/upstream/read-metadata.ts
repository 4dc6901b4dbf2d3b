import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from 'node:zlib';
import { UpstreamError } from './upstream-error.ts';
import type { UpstreamResponse } from './upstream-response.ts';

/** The limits of the size of metadata. */
export interface MetadataLimits {
  /** The maximum number of bytes, inflated. */
  readonly bytesMax: number;
  /** The maximum ratio of inflated to compressed bytes. */
  readonly ratioMax: number;
  /**
   * The ratio is not checked below this number of bytes: short texts of one repeated line compress beyond any limit and
   * do no harm.
   */
  readonly ratioFreeBytes: number;
}

/** The limits of production. Tests lower them. The largest real packuments reach 21 MB. */
export const defaultMetadataLimits: MetadataLimits = {
  bytesMax: 64 * 1024 * 1024,
  ratioMax: 200,
  ratioFreeBytes: 1024 * 1024,
};

const decoders = new Map<string, (() => Transform & Zlib) | undefined>([
  ['identity', undefined],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Reads all metadata, inflated, and stops at the first byte beyond the limits. */
export const readMetadata = async (
  { headers, body, context }: Pick<UpstreamResponse, 'headers' | 'body' | 'context'>,
  { bytesMax, ratioMax, ratioFreeBytes }: MetadataLimits = defaultMetadataLimits,
): Promise<Buffer> => {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const tooLarge = () => new UpstreamError('too-large', context, `sent metadata of more than ${bytesMax} bytes`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    if (!decoders.has(encoding)) throw new UpstreamError('protocol', context, 'sent metadata in an unknown encoding');
    if (Number(headers['content-length']) > bytesMax) throw tooLarge();
    const decoder = decoders.get(encoding)?.();
    for await (const chunk of decoder ? pipeline(body, decoder, () => undefined) : body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge();
      if (decoder && bytes > ratioFreeBytes && bytes > decoder.bytesWritten * ratioMax)
        throw new UpstreamError('too-large', context, `sent metadata that inflates more than ${ratioMax} times`);
      chunks.push(chunk);
    }
  } catch (error) {
    body.destroy();
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError('protocol', context, 'sent metadata that cannot be inflated', error);
  }
  return Buffer.concat(chunks, bytes);
};
