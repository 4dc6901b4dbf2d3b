import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export type Document = Record<string, unknown>;

/** A document that a real client or registry sent, as bytes. */
export const recordedBytes = (name: string): Buffer =>
  gunzipSync(readFileSync(join(__dirname, '..', '..', 'fixtures', 'npm', `${name}.json.gz`)));

export const recorded = (name: string): Document => JSON.parse(recordedBytes(name).toString()) as Document;

export const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export type Entry = Partial<Omit<Header, 'name'>> & { readonly name: string; readonly content?: string | Buffer };

/** A tar archive. */
export const tarOf = async (entries: readonly Entry[]): Promise<Buffer> => {
  const archive = pack();
  for (const { content, ...header } of entries)
    if (content === undefined) archive.entry(header).end(null);
    else archive.entry(header, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const tarballOf = async (entries: readonly Entry[]): Promise<Buffer> => gzipSync(await tarOf(entries));

const sri = (algorithm: string, bytes: Buffer): string =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;

/** The attachments of the body of a publish. */
export const attachmentsOf = ({ _attachments: attachments }: Document): Record<string, Document> =>
  attachments as Record<string, Document>;

/** The body with which libnpmpublish publishes some bytes as a version. */
export const publishBody = (
  bytes: Buffer,
  { name = '@acme/web', version = '1.0.0', tag = 'latest' }: { name?: string; version?: string; tag?: string } = {},
): Document & { versions: Record<string, Document & { dist: Document }> } => ({
  _id: name,
  name,
  'dist-tags': { [tag]: version },
  versions: {
    [version]: {
      name,
      version,
      dist: {
        integrity: sri('sha512', bytes),
        shasum: createHash('sha1').update(bytes).digest('hex'),
        tarball: `http://registry.test/${name}/-/${name}-${version}.tgz`,
      },
    },
  },
  _attachments: {
    [`${name}-${version}.tgz`]: {
      content_type: 'application/octet-stream',
      data: bytes.toString('base64'),
      length: bytes.length,
    },
  },
});
