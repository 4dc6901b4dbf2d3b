import { type KeyObject, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runInNewContext } from 'node:vm';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { downloadFunctionCode } from '../../infra/edge/edge-reads.ts';
import { credentialsOf } from '../../infra/local/credentials.ts';
import type { Runner } from '../../infra/local/runner.ts';
import { local } from '../../infra/local/template.ts';

/** What CloudFront knows about files: where they are, and whose signatures it trusts. */
export interface BlobOrigin extends Pick<Runner, 'storeUrl' | 'bucket'> {
  readonly edgeUrl: string;
  readonly keyId: string;
  readonly publicKey: KeyObject;
}

/** The parameters that CloudFront takes for its own. The others are a part of what is signed. */
const ofSignature = ['Expires', 'Signature', 'Key-Pair-Id', 'Hash-Algorithm'];

/** Base64, in which CloudFront takes three characters for those that URLs reserve. */
const bytesOf = (text: string): Buffer =>
  Buffer.from(text.replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/'), 'base64');

/** Whether an address has the signature of its canned policy, by a key of the group, and is not over. */
const isSigned = (url: string, { edgeUrl, keyId, publicKey }: BlobOrigin): boolean => {
  const { origin, pathname, searchParams } = new URL(url, edgeUrl);
  const [expires, signature = '', key, hash] = ofSignature.map((name) => searchParams.get(name) ?? undefined);
  const others = Array.from(searchParams).filter(([name]) => !ofSignature.includes(name));
  const resource = origin + pathname + (others.length > 0 ? `?${new URLSearchParams(others).toString()}` : '');
  const condition = { DateLessThan: { 'AWS:EpochTime': Number(expires) } };
  const policy = JSON.stringify({ Statement: [{ Resource: resource, Condition: condition }] });
  if (key !== keyId || hash !== 'SHA256' || Number(expires) * 1_000 <= Date.now()) return false;
  return verify('sha256', Buffer.from(policy), publicKey, bytesOf(signature));
};

const objectKeyOf = (uri: string): string => {
  const handler = runInNewContext(`${downloadFunctionCode}; handler`) as (event: object) => { readonly uri: string };
  return handler({ request: { uri } }).uri.slice(1);
};

const headersPolicy = {
  'cache-control': 'no-store',
  'content-disposition': 'attachment',
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

const refuse = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'content-type': 'text/xml' }).end('<Error><Code>AccessDenied</Code></Error>');
};

/** Serves a file as the behaviour `/_blobs/*` does. Of the request, the object store sees the path and the part that is wanted. */
export const serveBlob = async (
  { method = '', url = '', headers }: IncomingMessage,
  response: ServerResponse,
  origin: BlobOrigin,
): Promise<void> => {
  if (!['GET', 'HEAD'].includes(method) || !isSigned(url, origin)) return refuse(response, 403);
  const key = objectKeyOf(url.split('?', 1)[0] ?? '');
  // The policy of the bucket lets CloudFront read blobs, and nothing else.
  if (!key.startsWith('blobs/')) return refuse(response, 403);
  const client = new S3Client({
    endpoint: origin.storeUrl,
    region: local.region,
    credentials: credentialsOf('runner'),
    forcePathStyle: true,
  });
  try {
    const asked = { Bucket: origin.bucket, Key: key, ...(headers.range !== undefined && { Range: headers.range }) };
    const { Body, ContentLength, ContentRange, ETag } = await client.send(new GetObjectCommand(asked));
    response.writeHead(ContentRange === undefined ? 200 : 206, {
      ...headersPolicy,
      'accept-ranges': 'bytes',
      'content-type': 'binary/octet-stream',
      'content-length': ContentLength ?? 0,
      etag: ETag ?? '',
      ...(ContentRange !== undefined && { 'content-range': ContentRange }),
    });
    await pipeline(Body as Readable, response);
  } catch {
    if (response.headersSent) response.destroy();
    else refuse(response, 403);
  } finally {
    client.destroy();
  }
};
