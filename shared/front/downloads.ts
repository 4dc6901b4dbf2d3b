import { type Download, downloadUrl as urlAtStore } from '../store/downloads.ts';
import { edgeAddressOf } from './edge-addresses.ts';

/** Where the bundle of the front sends clients for a file: to CloudFront where it is before the front, else to the bucket. */
export const downloadUrl = async (download: Download): Promise<string> =>
  (await edgeAddressOf(download.objectKey, download.fileName)) ?? urlAtStore(download);
