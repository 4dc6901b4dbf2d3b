import { type BinaryLike, createHash, createHmac, type Hash, type Hmac, randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import { credentialsOf } from '../../infra/local/credentials.ts';
import { type ObjectStore, startObjectStore } from '../../infra/local/object-store.ts';
import { local } from '../../infra/local/template.ts';
import { blobObjectKey } from '../../shared/store/keys.ts';
import { Table } from '../../shared/table/client.ts';
import { setFields } from '../../shared/table/field-writes.ts';
import { blobKey, type Item } from '../../shared/table/keys.ts';
import type { Blob } from '../../shared/table/packages/blobs.ts';
import type { Service } from './service.ts';
import { snapshot } from './snapshot.ts';
import { type Reply, Wire } from './wire.ts';

export const { region } = local;
export const bucket = 'packages';

/** Who the store knows. */
export const credentials = { accessKeyId: 'publisher', secretAccessKey: randomUUID() };
export const secretOf = (accessKeyId: string): string | undefined =>
  accessKeyId === credentials.accessKeyId ? credentials.secretAccessKey : undefined;

const silence = () => {};
const logger = { debug: silence, info: silence, warn: silence, error: silence };

/** The SDK's client of a store. It tries once, so that a test sees the answer itself, and keeps its advice to itself. */
export const clientOf = (url: string, config: S3ClientConfig = {}): S3Client =>
  new S3Client({ endpoint: url, region, forcePathStyle: true, credentials, maxAttempts: 1, logger, ...config });

/** What the signer hashes with. */
class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(key?: unknown) {
    this.hash = key === undefined ? createHash('sha256') : createHmac('sha256', key as BinaryLike);
  }

  update(data: Uint8Array | string): void {
    this.hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {}
}

export interface SignableRequest {
  readonly method?: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly date?: Date;
  readonly as?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

export const pathOf = (key: string): string => `/${bucket}/${key.split('/').map(encode).join('/')}`;

const signerOf = ({ as = credentials }: SignableRequest): SignatureV4 =>
  new SignatureV4({ service: 's3', region, credentials: as, sha256: Sha256, uriEscapePath: false });

const unsignedRequest = (url: string, { method = 'GET', key, query = {}, headers = {} }: SignableRequest) => {
  const { hostname, host, port } = new URL(url);
  const path = pathOf(key);
  return { method, protocol: 'http:', hostname, port: Number(port), path, query, headers: { host, ...headers } };
};

/** A URL that carries its own credential. */
export const presign = async (url: string, request: SignableRequest, expiresIn = 300): Promise<string> => {
  const payload = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const { path, query } = await signerOf(request).presign(
    unsignedRequest(url, { ...request, headers: { ...payload, ...request.headers } }),
    { signingDate: request.date ?? new Date(), expiresIn },
  );
  const parameters = Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  return `${url}${path}?${parameters.join('&')}`;
};

/** The headers of a request that is signed in its header. */
export const sign = async (url: string, request: SignableRequest): Promise<Record<string, string>> => {
  const payload = { 'x-amz-content-sha256': createHash('sha256').update('').digest('hex') };
  const { headers } = await signerOf(request).sign(
    unsignedRequest(url, { ...request, headers: { ...payload, ...request.headers } }),
    { signingDate: request.date ?? new Date() },
  );
  const { host: _, ...rest } = headers;
  return rest;
};

/** Status and code of a refusal by the store; fails when there is none. */
export const refusal = async (call: Promise<unknown>): Promise<[status: number | undefined, code: string]> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof S3ServiceException) return [error.$metadata.httpStatusCode, error.name];
    throw error;
  }
  throw new Error('The store refused nothing.');
};

/** Status and code of an answer that came without the SDK. */
export const refusalIn = ({
  status,
  text,
}: Pick<Reply, 'status' | 'text'>): [status: number, code: string | undefined] => [
  status,
  /^<Error><Code>(\w+)<\/Code><Message>[^<]+<\/Message><\/Error>$/.exec(text)?.[1],
];

/** What a test of the store works with. */
export interface StoreWorld {
  readonly store: ObjectStore;
  readonly s3: S3Client;
  readonly wire: Wire;
}

/** Runs a store with one bucket, in memory as far as tests can tell, for the tests of a file. */
export const useObjectStore = (): StoreWorld => {
  const world: Partial<{ -readonly [part in keyof StoreWorld]: StoreWorld[part] }> = {};
  beforeAll(async () => {
    const store = await startObjectStore({ directory: undefined, secretOf });
    Object.assign(world, { store, s3: clientOf(store.url), wire: new Wire(store.url) });
    await world.s3?.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterAll(async () => {
    world.s3?.destroy();
    world.wire?.close();
    await world.store?.stop();
  });
  return world as StoreWorld;
};

let client: { readonly url: string; readonly s3: S3Client } | undefined;
/** One for all looks at a store: a new one costs more than a look. */
const clientFor = (url: string): S3Client => {
  if (client?.url !== url) client = { url, s3: clientOf(url, { credentials: credentialsOf('runner') }) };
  return client.s3;
};

/** The keys of the objects that hold the bytes of packages, or of those with another prefix. */
export const storedObjects = async (
  { runner }: Pick<Service, 'runner'>,
  prefix: `blobs/${string}` | 'staging/' | 'staging/rendered/' = 'blobs/',
): Promise<Set<string>> => {
  const keys: string[] = [];
  const listed = paginateListObjectsV2(
    { client: clientFor(runner.storeUrl) },
    { Bucket: runner.bucket, Prefix: prefix },
  );
  for await (const { Contents = [] } of listed) keys.push(...Contents.map(({ Key = '' }) => Key));
  return new Set(keys);
};

/** The keys of the blobs of a workspace whose bytes are kept, in an object or in an item. */
export const storedBlobs = async (service: Pick<Service, 'runner'>, workspaceId: string): Promise<string[]> => {
  const inItems = Array.from((await snapshot()).values(), (item) => item as Item & Partial<Blob>)
    .filter(({ pk, content }) => pk.startsWith(`BLOB#${workspaceId}#`) && content)
    .map(({ sha256 = '', objectId = '' }) => blobObjectKey({ workspaceId, sha256, objectId }));
  return [...new Set([...(await storedObjects(service, `blobs/${workspaceId}/`)), ...inItems])].toSorted();
};

/** Changes what the item of a blob keeps, if it keeps its bytes. What was lost there is healed in an object, so there may be both. */
const changeItem = async (
  objectKey: string,
  changed: (content: Uint8Array) => Uint8Array | undefined,
): Promise<void> => {
  const [, workspaceId = '', , name = ''] = objectKey.split('/');
  const key = blobKey(workspaceId, name.split('.')[0] ?? '');
  const content = (await new Table().read([key])).find(key)?.content;
  if (!content) return;
  const next = changed(content);
  await new Table().writeUnrecorded([setFields(key, next ? { set: { content: next } } : { remove: ['content'] })]);
};

/** Deletes what is kept under these keys behind the back of the service. */
export const loseObjects = async ({ runner }: Pick<Service, 'runner'>, keys: Iterable<string>): Promise<void> => {
  for (const Key of keys) {
    await changeItem(Key, () => undefined);
    await clientFor(runner.storeUrl).send(new DeleteObjectCommand({ Bucket: runner.bucket, Key }));
  }
};

/** Leaves the first half of each object behind the back of the service. */
export const cutObjects = async ({ runner }: Pick<Service, 'runner'>, keys: Iterable<string>): Promise<void> => {
  const s3 = clientFor(runner.storeUrl);
  for (const Key of keys) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: runner.bucket, Key }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    await s3.send(new PutObjectCommand({ Bucket: runner.bucket, Key, Body: bytes.subarray(0, bytes.length / 2) }));
  }
};

/** Other bytes, also of bytes that are damaged already. */
const damaged = ([first = 0, ...rest]: Uint8Array): Buffer => Buffer.from([first + 1, ...rest]);

/** Changes a byte of what is kept under each key behind the back of the service. */
export const damageObjects = async ({ runner }: Pick<Service, 'runner'>, keys: Iterable<string>): Promise<void> => {
  const s3 = clientFor(runner.storeUrl);
  const objects = await storedObjects({ runner });
  for (const Key of keys) {
    await changeItem(Key, damaged);
    if (!objects.has(Key)) continue;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: runner.bucket, Key }));
    const bytes = damaged((await Body?.transformToByteArray()) ?? new Uint8Array());
    await s3.send(new PutObjectCommand({ Bucket: runner.bucket, Key, Body: bytes }));
  }
};
