import { presigned } from './signatures.ts';

const lifetimeSeconds = 300;

/** How a file arrives at the client. */
export interface Download {
  readonly method: 'GET' | 'HEAD';
  readonly objectKey: string;
  readonly fileName: string;
  readonly mediaType: string;
}

/**
 * A URL that serves a file, or its headers, to everybody who has the URL, for five minutes. Signing makes no call. The
 * name in the disposition follows the grammar of the package type or is percent-encoded (RFC 6266 section 4.3).
 */
export const downloadUrl = async ({ method, objectKey, fileName, mediaType }: Download): Promise<string> => {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(fileName).replaceAll("'", '%27')}`;
  const query = { 'response-content-type': mediaType, 'response-content-disposition': disposition };
  return presigned({ method, key: objectKey, query }, lifetimeSeconds);
};
