import { describedBytesMax, partsOf } from '../../../functions/docker/index-entries.ts';
import { ApiError } from '../../../shared/errors.ts';

const digests = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `sha256:${at.toString(16).padStart(64, '0')}`);

const manifest = { mediaType: 'application/vnd.oci.image.index.v1+json', blobs: [], children: [], elsewhere: [] };

/** The detail of the refusal of a manifest; undefined if it is taken. */
const refusalOf = (fields: Partial<Parameters<typeof partsOf>[0]>): string | undefined => {
  try {
    partsOf({ ...manifest, ...fields }, 1);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PACKAGE_INVALID') return error.message;
    throw error;
  }
  return undefined;
};

describe('The entry of a manifest in its index', () => {
  it('names layers and manifests in at most a million bytes', () => {
    expect(refusalOf({ children: digests(10_000) })).toBeUndefined();
    expect(refusalOf({ children: digests(20_000) })).toMatch(/may have at most 1000000\b/);
    expect(refusalOf({ blobs: digests(20_000) })).toMatch(/may have at most 1000000\b/);
  });

  it('describes a referrer in at most 64,000 bytes', () => {
    const about = `sha256:${'0'.repeat(64)}`;
    expect(refusalOf({ about, annotations: { a: 'a'.repeat(describedBytesMax - 200) } })).toBeUndefined();
    expect(refusalOf({ about, annotations: { a: 'a'.repeat(describedBytesMax) } })).toMatch(/may have at most 64000\b/);
  });
});
