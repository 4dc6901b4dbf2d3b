import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createUpload, createUploadUrls, publishUpload } from '../../functions/packages/contracts.ts';
import type { uploadSchema } from '../../functions/packages/upload-schemas.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { stagingObjectKey } from '../../shared/store/keys.ts';
import { deleteObject, putObjectOnce } from '../../shared/store/objects.ts';
import { Table } from '../../shared/table/client.ts';
import { actorUploadsList, keyIn } from '../../shared/table/keys.ts';
import { sha256 } from './bytes.ts';
import type { Answer } from './client.ts';
import type { PackageWorld } from './packages.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

type Upload = Infer<typeof uploadSchema>;
export type UploadFile = Upload['files'][number];
export type UploadPart = UploadFile['parts'][number];

/** A file as an upload session announces it. */
export const announced = (name: string, content: string | Uint8Array) => ({
  name,
  sizeInBytes: Buffer.byteLength(content),
  sha256: sha256(content),
});

/** What the object store answered. */
interface StoreAnswer {
  readonly status: number;
  readonly text: string;
}

const put = async (url: string, content: string | Uint8Array, header = ''): Promise<StoreAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<StoreAnswer>();
  const [name, value = ''] = header.split(': ');
  const headers = { ...(name && { [name]: value }), 'Content-Length': Buffer.byteLength(content) };
  // A kept connection may end on a busy machine just when the next file is on its way.
  const outgoing = request(url, { method: 'PUT', headers, agent: false }, (response) => {
    text(response).then((told) => resolve({ status: response.statusCode ?? 0, text: told }), reject);
  });
  outgoing.on('error', reject);
  outgoing.end(content);
  return promise;
};

/** Sends bytes to the URL of a session, as `curl -T file -H uploadHeader uploadUrl` does. */
export const putUpload = async (
  { name, uploadUrl, uploadHeader }: UploadFile,
  content: string | Uint8Array,
): Promise<StoreAnswer> => {
  if (uploadUrl === null || uploadHeader === null) throw new Error(`${name} is sent in parts.`);
  return put(uploadUrl, content, uploadHeader);
};

/** Sends the bytes of a part, or others. */
export const putPart = async ({ uploadUrl }: UploadPart, content: Uint8Array): Promise<StoreAnswer> =>
  put(uploadUrl, content);

/** The bytes of a file that belong into a part. */
export const bytesOf = ({ offsetInBytes, sizeInBytes }: UploadPart, content: Uint8Array): Uint8Array =>
  content.subarray(offsetInBytes, offsetInBytes + sizeInBytes);

/** Sends all parts of a file. */
export const putParts = async ({ parts }: UploadFile, content: Uint8Array): Promise<void> => {
  for (const part of parts) {
    const { status, text: told } = await putPart(part, bytesOf(part, content));
    if (status !== 200) throw new Error(`The store answered ${status}: ${told}`);
  }
};

const boundary = 'a-boundary-of-the-tests';

/** A form as curl sends it with `-F`: fields and files in the given order. */
export const formOf = (
  parts: readonly (
    | { readonly field: string; readonly value: string }
    | { readonly file: string; readonly content: string | Uint8Array; readonly name?: string }
  )[],
) => {
  const chunks = parts.flatMap((part) =>
    'field' in part
      ? [`--${boundary}\r\nContent-Disposition: form-data; name="${part.field}"\r\n\r\n`, part.value, '\r\n']
      : [
          `--${boundary}\r\nContent-Disposition: form-data; name="${part.name ?? 'packageFiles'}"; filename="${part.file}"\r\n`,
          'Content-Type: application/octet-stream\r\n\r\n',
          part.content,
          '\r\n',
        ],
  );
  const content = Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk)));
  return { content, mediaType: `multipart/form-data; boundary=${boundary}` };
};

type Contents = Readonly<Record<string, string | Uint8Array>>;

/** A session of a test: what it announced, and where that goes. */
export interface TestUpload {
  readonly id: string;
  /** The package, unless its files name it. */
  readonly name: string;
  readonly files: readonly UploadFile[];
  readonly contents: Contents;
}

interface UploadOptions {
  readonly repository?: Named;
  /** The value of the Authorization header. */
  readonly as?: string;
  /** False where the files name their package and version. */
  readonly isNamed?: boolean;
  /** Files above it are sent in parts of it. */
  readonly partSizeInBytes?: number;
}

/** Upload sessions in the repository of a world, unless another one is given. */
export const useUploads = (service: Service, world: PackageWorld) => {
  const paramsOf = ({ repository = world.repository }: UploadOptions) => world.params({ repository: repository.id });
  const begin = async (contents: Contents, options: UploadOptions = {}): Promise<TestUpload> => {
    const { as = world.admin.bearer, isNamed = true, partSizeInBytes } = options;
    const name = uniqueName('package');
    const files = Object.entries(contents).map(([file, content]) => announced(file, content));
    const body = { ...(isNamed && { packageName: name, packageVersion: '1.0.0' }), files, partSizeInBytes };
    const { id, files: expected } = await service.client.succeed(createUpload, { params: paramsOf(options), body, as });
    return { id, name, files: expected, contents };
  };
  const send = async ({ files, contents }: TestUpload, name: string): Promise<void> => {
    const file = files.find((each) => each.name === name);
    if (file && file.parts.length > 0) return putParts(file, Buffer.from(contents[name] ?? ''));
    const { status, text: told } = await putUpload(file as UploadFile, contents[name] ?? '');
    if (status !== 200) throw new Error(`The store answered ${status}: ${told}`);
  };
  return {
    begin,
    put: send,
    /** A session whose files have arrived. */
    arrived: async (contents: Contents, options: UploadOptions = {}): Promise<TestUpload> => {
      const session = await begin(contents, options);
      for (const name of Object.keys(contents)) await send(session, name);
      return session;
    },
    complete: async (upload: string, options: UploadOptions = {}): Promise<Answer> => {
      const { as = world.admin.bearer } = options;
      return service.client.attempt(publishUpload, { params: { ...paramsOf(options), upload }, as });
    },
    urlsOf: async (upload: string, options: UploadOptions = {}): Promise<Answer> => {
      const { as = world.admin.bearer } = options;
      return service.client.attempt(createUploadUrls, { params: { ...paramsOf(options), upload }, as });
    },
  };
};

/** Puts bytes where the first file of a session belongs, past the checks of its URL. */
export const putStaged = async ({ id }: TestUpload, content: string): Promise<void> => {
  const key = stagingObjectKey(`${id}-0`);
  await deleteObject(key, AbortSignal.timeout(5_000));
  await putObjectOnce(key, Buffer.from(content), AbortSignal.timeout(5_000));
};

/** Frees the slots of a user's open uploads: a session that tries one which is taken makes more calls than one that does not. */
export const freeUploadSlots = async (workspace: Named, { userId }: Pick<Actor, 'userId'>): Promise<void> => {
  const table = new Table();
  const slots = actorUploadsList(workspace.id, userId, 'session');
  const { items } = await table.query(slots);
  if (items.length > 0) await table.writeUnrecorded(items.map(({ position }) => ({ remove: keyIn(slots, position) })));
};
