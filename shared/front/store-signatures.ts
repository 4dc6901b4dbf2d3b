import { needApi } from '../pass-on.ts';
import * as signatures from '../store/signatures.ts';

export type { StoreCall } from '../store/signatures.ts';

/** The front may read blobs. Another call of the store, also by whoever is redirected to it, is the API's. */
const readable = (call: signatures.StoreCall): signatures.StoreCall => {
  const isRead = call.method === 'GET' || call.method === 'HEAD';
  return isRead && call.key.startsWith('blobs/') ? call : needApi();
};

/** What signs calls of the store in the bundle of the front. */
export const signed: typeof signatures.signed = async (call, ...rest) => signatures.signed(readable(call), ...rest);
export const presigned: typeof signatures.presigned = async (call, ...rest) =>
  signatures.presigned(readable(call), ...rest);
