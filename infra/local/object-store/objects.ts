import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { algorithmOf, bodyOf, xmlOf } from './body.ts';
import { type Algorithm, Content, etagDigest } from './checksums.ts';
import { checkRead, checkWrite, copyRangeOf, noSuchKey, rangeOf } from './conditions.ts';
import type { Description, Files, Range } from './files.ts';
import type { SignedCall } from './signature.ts';
import { type Answer, contentsOf, element, type Headers, invalid, readPath, textOf } from './wire.ts';

const pageMax = 1000;
const etagBytes = 16;
const kept = 'cache-control content-disposition content-encoding content-language content-type expires'.split(' ');

/** The headers of a call that come back with its object. */
export const headersToKeep = (headers: Headers): Record<string, string> => {
  const encodings = headers['content-encoding']?.split(/, */).filter((encoding) => encoding !== 'aws-chunked');
  const all = {
    'content-type': 'binary/octet-stream',
    ...headers,
    'content-encoding': encodings?.join(',') || undefined,
  };
  const isKept = ([name, value]: readonly [string, unknown]) =>
    value !== undefined && (kept.includes(name) || name.startsWith('x-amz-meta-'));
  return Object.fromEntries(Object.entries(all).filter(isKept)) as Record<string, string>;
};

/** Describes content that has passed. */
export const describeContent = (
  key: string,
  headers: Description['headers'],
  { size, digests }: Content,
  algorithm: Algorithm | undefined,
): Description => ({
  key,
  size,
  headers,
  modified: Date.now(),
  etag: digests[etagDigest(algorithm)]?.subarray(0, etagBytes).toString('hex') ?? '',
  checksum: algorithm && { algorithm, type: 'FULL_OBJECT', value: digests[algorithm]?.toString('base64') ?? '' },
});

const checksumHeaders = ({ checksum }: Description): Record<string, string> =>
  checksum ? { [`x-amz-checksum-${checksum.algorithm}`]: checksum.value, 'x-amz-checksum-type': checksum.type } : {};

/** How XML speaks of something stored. */
export const elementsOf = ({ etag, size, modified, checksum }: Description) => ({
  Size: size,
  ETag: `"${etag}"`,
  LastModified: new Date(modified).toISOString(),
  ...(checksum && { [`Checksum${checksum.algorithm.toUpperCase()}`]: checksum.value, ChecksumType: checksum.type }),
});

/** What a call copies: a range of an object. */
interface Copied {
  readonly source: Description;
  readonly range: Range;
}

/** What a call copies; undefined if it brings its own body. */
export const copiedBy = ({ headers }: SignedCall, files: Files): Copied | undefined => {
  const from = headers['x-amz-copy-source'];
  if (from === undefined) return undefined;
  const path = files.pathOf(readPath(from));
  const source = files.describe(path);
  if (!source) throw noSuchKey();
  checkRead(headers, source, 'x-amz-copy-source-');
  const [first, last] = copyRangeOf(headers, source);
  return { source, range: { path, first, last } };
};

/** What is stored under a path, and how it is described. */
interface Stored {
  readonly path: string;
  readonly key: string;
  readonly headers: Description['headers'];
  readonly algorithm: Algorithm | undefined;
  readonly copied: Copied | undefined;
}

/** Stores what a call brings or copies. At the last moment `commit` swaps it in, or refuses. */
export const store = async (
  call: SignedCall,
  files: Files,
  { path, key, headers, algorithm, copied }: Stored,
  commit: (swap: () => void) => void,
): Promise<Description> => {
  if (!copied) {
    const content = bodyOf(call, algorithm);
    return files.write(path, content, () => describeContent(key, headers, content, algorithm), commit);
  }
  const { source, range } = copied;
  const wanted = algorithm ?? source.checksum?.algorithm;
  const describe = async (open: () => Readable): Promise<Description> => {
    // Only a checksum needs the bytes.
    const content = new Content(wanted ? open() : [], [wanted]);
    await finished(Readable.from(content).resume());
    return {
      ...describeContent(key, headers, content, wanted),
      size: range.last - range.first + 1,
      etag: etagOfCopy(copied),
    };
  };
  return files.compose(path, [range], describe, commit);
};

const etagOfCopy = ({ source, range: { first, last } }: Copied): string =>
  last - first + 1 === source.size
    ? source.etag.slice(0, 2 * etagBytes)
    : createHash('md5').update(`${source.etag} ${first}-${last}`).digest('hex');

/** The answer about something stored: of a copy as XML. */
export const stored = (description: Description, copyResult: string | undefined): Answer =>
  copyResult
    ? { body: element(copyResult, elementsOf(description)) }
    : { headers: { ETag: `"${description.etag}"`, ...checksumHeaders(description) } };

export const putObject = async (call: SignedCall, files: Files): Promise<Answer> => {
  const { key, headers } = call;
  const copied = copiedBy(call, files);
  const isKept = copied && headers['x-amz-metadata-directive'] !== 'REPLACE';
  const path = files.pathOf(call);
  const object = {
    path,
    key,
    headers: isKept ? copied.source.headers : headersToKeep(headers),
    algorithm: algorithmOf(headers),
    copied,
  };
  const description = await store(call, files, object, (swap) => {
    checkWrite(headers, files.describe(path));
    swap();
  });
  return stored(description, copied && 'CopyObjectResult');
};

export const getObject = async (call: SignedCall, files: Files): Promise<Answer> => {
  const { headers, query, method } = call;
  const answer = files.read(files.pathOf(call), (description, open) => {
    checkRead(headers, description);
    const { size, etag, modified } = description;
    const range = rangeOf(headers, description);
    const [start, end] = range ?? [0, size - 1];
    // Never with a part: the SDK would compare the checksum of the whole with it.
    const checksum = !range && headers['x-amz-checksum-mode'] === 'ENABLED' && checksumHeaders(description);
    const overrides = kept.map((name) => [name, query.get(`response-${name}`) ?? '']).filter(([, value]) => value);
    if (/[^\t\x20-\x7e\xa0-\xff]/.test(overrides.join(''))) {
      throw invalid('InvalidArgument', 'Header value cannot be represented using ISO-8859-1.');
    }
    return {
      status: range ? 206 : 200,
      headers: {
        ...description.headers,
        ...Object.fromEntries(overrides),
        ...checksum,
        ...(range && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
        'Accept-Ranges': 'bytes',
        'Content-Length': end - start + 1,
        ETag: `"${etag}"`,
        'Last-Modified': new Date(modified).toUTCString(),
      },
      body: method === 'HEAD' ? '' : open(start, end),
    };
  });
  if (!answer) throw noSuchKey();
  return answer;
};

export const deleteObject = async (call: SignedCall, files: Files): Promise<Answer> => {
  const path = files.pathOf(call);
  checkWrite(call.headers, files.describe(path));
  await files.remove(path);
  return { status: 204 };
};

export const deleteObjects = async (call: SignedCall, files: Files): Promise<Answer> => {
  const { bucket, headers } = call;
  const isProtected = headers['content-md5'] ?? algorithmOf(headers);
  if (!isProtected) throw invalid('InvalidRequest', 'Missing required header: Content-MD5 or x-amz-checksum-*');
  const xml = await xmlOf(call);
  const keys = contentsOf(xml, 'Object').map((object) => textOf(object, 'Key') ?? '');
  if (keys.length < 1 || keys.length > pageMax) throw invalid('MalformedXML', `A batch has 1 to ${pageMax} objects.`);
  for (const key of keys) await files.remove(files.pathOf({ bucket, key }));
  const Deleted = textOf(xml, 'Quiet') === 'true' ? [] : keys.map((Key) => ({ Key }));
  return { body: element('DeleteResult', { Deleted }) };
};

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Keys in the order of their bytes; those that share a beginning up to the delimiter stand there as one. */
export const listObjects = async ({ bucket, query }: SignedCall, files: Files): Promise<Answer> => {
  const [prefix = '', delimiter = '', startAfter = '', token = ''] = 'prefix delimiter start-after continuation-token'
    .split(' ')
    .map((name) => query.get(name) ?? '');
  const entries = new Map<string, Description | undefined>();
  for (const object of files.describeAll(files.folderOf(bucket, 'objects'))) {
    if (!object.key.startsWith(prefix) || compare(object.key, startAfter) <= 0) continue;
    const end = delimiter ? object.key.indexOf(delimiter, prefix.length) : -1;
    if (end < 0) entries.set(object.key, object);
    else entries.set(object.key.slice(0, end + delimiter.length), undefined);
  }
  const MaxKeys = Math.min(Number(query.get('max-keys') ?? pageMax), pageMax);
  const last = Buffer.from(token, 'base64url').toString();
  const rest = [...entries].filter(([name]) => compare(name, last) > 0).toSorted(([a], [b]) => compare(a, b));
  const page = rest.slice(0, MaxKeys);
  const IsTruncated = page.length > 0 && page.length < rest.length;
  return {
    body: element('ListBucketResult', {
      Name: bucket,
      Prefix: prefix,
      MaxKeys,
      KeyCount: page.length,
      IsTruncated,
      NextContinuationToken: IsTruncated ? Buffer.from(page.at(-1)?.[0] ?? '').toString('base64url') : undefined,
      Contents: page.flatMap(([Key, object]) => (object ? [{ Key, ...elementsOf(object) }] : [])),
      CommonPrefixes: page.flatMap(([Prefix, object]) => (object ? [] : [{ Prefix }])),
    }),
  };
};
