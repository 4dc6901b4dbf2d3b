import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name under which the build keeps the file of an endpoint, beside its bundle. */
export const builtFileName = 'result.gz';

let bytes: Uint8Array | undefined;

/**
 * The file that the build made for this function, compressed. It is read once and no part of the bundle, whose size is
 * what a cold start pays for. A bundle is CommonJS, so `__dirname` is its folder.
 */
export const builtFile = (): Uint8Array => {
  bytes ??= readFileSync(join(__dirname, builtFileName));
  return bytes;
};
