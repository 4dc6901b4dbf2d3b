import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the file that the build puts beside the bundle of an endpoint. */
export const builtFileName = 'result.gz';

let bytes: Uint8Array | undefined;

/**
 * The compressed file that the build made for this function. It is not part of the bundle, because the size of a bundle
 * costs time at a cold start. A bundle is CommonJS, so `__dirname` is its folder.
 */
export const builtFile = (): Uint8Array => {
  bytes ??= readFileSync(join(__dirname, builtFileName));
  return bytes;
};
