import { gunzipSync, gzipSync } from 'node:zlib';
import { builtFile } from '../../shared/http/built-file.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { storeAddress } from '../../shared/store/address.ts';
import { getConsolePage } from './contracts.ts';

let page: Uint8Array | undefined;

/** The built page, whose policy lets it send uploads to the bucket: the build does not know the name of that. */
const pageWithStore = (): Uint8Array =>
  gzipSync(
    gunzipSync(builtFile())
      .toString()
      .replace('{{store}}', () => storeAddress().href),
  );

export const handler = endpoint(getConsolePage, async () => {
  page ??= pageWithStore();
  return page;
});
