import { needApi } from '../pass-on.ts';
import { renderedPrefix } from '../store/keys.ts';
import * as signatures from '../store/signatures.ts';

export type { StoreCall } from '../store/signatures.ts';

/** The front may read blobs, and documents that were rendered. Another call of the store, also by whoever is redirected to it, is the API's. */
const readable = (call: signatures.StoreCall): signatures.StoreCall => {
  const isRead = call.method === 'GET' || call.method === 'HEAD';
  const isReadable = call.key.startsWith('blobs/') || call.key.startsWith(renderedPrefix);
  return isRead && isReadable ? call : needApi();
};

/** What signs calls of the store in the bundle of the front. */
export const signed: typeof signatures.signed = async (call, ...rest) => signatures.signed(readable(call), ...rest);
export const presigned: typeof signatures.presigned = async (call, ...rest) =>
  signatures.presigned(readable(call), ...rest);
