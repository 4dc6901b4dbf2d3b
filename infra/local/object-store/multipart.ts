import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { algorithmOf, xmlOf } from './body.ts';
import { algorithms, Content } from './checksums.ts';
import { checkWrite } from './conditions.ts';
import { sync } from './disk.ts';
import type { Description, Files } from './files.ts';
import { copiedBy, describeContent, elementsOf, headersToKeep, store, stored } from './objects.ts';
import type { SignedCall } from './signature.ts';
import { type Answer, contentsOf, element, invalid, Refusal, textOf } from './wire.ts';

const partBytesMin = 5 * 1024 ** 2;
const partsMax = 10_000;
const pageMax = 1_000;

/** The folder of an upload: a description of the object to be, and a file per part, named by its number. */
const folderOf = ({ bucket, query }: SignedCall, files: Files): string =>
  join(files.folderOf(bucket, 'uploads'), query.get('uploadId')?.replaceAll(/[^\w-]/g, '') || 'none');
const partOf = (folder: string, number: number | string): string => join(folder, 'parts', `${number}`);

const uploadOf = (call: SignedCall, files: Files): Description => {
  const upload = files.describe(join(folderOf(call, files), 'upload'));
  if (upload?.key !== call.key) throw new Refusal(404, 'NoSuchUpload', 'The specified upload does not exist.');
  return upload;
};

export const createUpload = async ({ bucket, key, headers }: SignedCall, files: Files): Promise<Answer> => {
  const UploadId = randomBytes(24).toString('base64url');
  const folder = join(files.folderOf(bucket, 'uploads'), UploadId);
  mkdirSync(join(folder, 'parts'), { recursive: true });
  await sync(dirname(folder));
  const algorithm = algorithms.find((name) => name === headers['x-amz-checksum-algorithm']?.toLowerCase());
  const type = headers['x-amz-checksum-type'] ?? (algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE');
  const content = new Content([], []);
  await files.write(join(folder, 'upload'), content, () => ({
    ...describeContent(key, headersToKeep(headers), content, undefined),
    checksum: algorithm && { algorithm, type, value: '' },
  }));
  return { body: element('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId }) };
};

export const uploadPart = async (call: SignedCall, files: Files): Promise<Answer> => {
  const number = Number(call.query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > partsMax) {
    throw invalid('InvalidArgument', `The part number must be an integer from 1 to ${partsMax}.`);
  }
  const { checksum } = uploadOf(call, files);
  const sent = algorithmOf(call.headers);
  if (sent && checksum && sent !== checksum.algorithm)
    throw invalid('InvalidRequest', `The upload was not created for ${sent}.`);
  const copied = copiedBy(call, files);
  const path = partOf(folderOf(call, files), number);
  const part = { path, key: `${number}`, headers: {}, algorithm: checksum?.algorithm ?? sent, copied };
  const description = await store(call, files, part, (swap) => {
    uploadOf(call, files);
    swap();
  });
  return stored(description, copied && 'CopyPartResult');
};

export const listParts = async (call: SignedCall, files: Files): Promise<Answer> => {
  const { bucket, query } = call;
  const { key: Key } = uploadOf(call, files);
  const MaxParts = Math.min(Number(query.get('max-parts') ?? pageMax), pageMax);
  const rest = files
    .describeAll(partOf(folderOf(call, files), ''))
    .filter((part) => Number(part.key) > Number(query.get('part-number-marker') ?? 0))
    .toSorted((a, b) => Number(a.key) - Number(b.key));
  const page = rest.slice(0, MaxParts);
  const IsTruncated = page.length < rest.length;
  const NextPartNumberMarker = IsTruncated ? page.at(-1)?.key : undefined;
  const Part = page.map((part) => Object.assign({ PartNumber: part.key }, elementsOf(part)));
  return {
    body: element('ListPartsResult', { Bucket: bucket, Key, MaxParts, IsTruncated, NextPartNumberMarker, Part }),
  };
};

export const abortUpload = async (call: SignedCall, files: Files): Promise<Answer> => {
  uploadOf(call, files);
  await files.remove(folderOf(call, files));
  return { status: 204 };
};

export const completeUpload = async (call: SignedCall, files: Files): Promise<Answer> => {
  const { bucket, key, headers } = call;
  const xml = await xmlOf(call);
  const upload = uploadOf(call, files);
  const parts = listedParts(xml, call, upload, files);
  const folder = folderOf(call, files);
  const ranges = parts.map(({ key: number, size }) => ({ path: partOf(folder, number), first: 0, last: size - 1 }));
  const path = files.pathOf(call);
  const object = await files.compose(
    path,
    ranges,
    async () => describeWhole(key, upload, parts),
    (swap) => {
      uploadOf(call, files);
      checkWrite(headers, files.describe(path));
      swap();
      files.discard(folder);
    },
  );
  const about = { Location: `http://${headers.host}/${bucket}/${key}`, Bucket: bucket, Key: key };
  return { body: element('CompleteMultipartUploadResult', { ...about, ...elementsOf(object) }) };
};

/** The parts that a completion lists, when they are all there as it says. */
const listedParts = (xml: string, call: SignedCall, { checksum }: Description, files: Files): Description[] => {
  const folder = folderOf(call, files);
  const parts: Description[] = [];
  for (const listed of contentsOf(xml, 'Part')) {
    const last = parts.at(-1);
    const number = Number(textOf(listed, 'PartNumber'));
    const sum = checksum && textOf(listed, `Checksum${checksum.algorithm.toUpperCase()}`);
    const part = files.describe(partOf(folder, number));
    if (last && Number(last.key) >= number) throw invalid('InvalidPartOrder', 'The parts are not in order.');
    if (last && last.size < partBytesMin) throw invalid('EntityTooSmall', 'Only the last part may be below 5 MB.');
    if (checksum?.type === 'COMPOSITE' && !sum)
      throw invalid('InvalidRequest', `The checksum of part ${number} is missing.`);
    if (!part || part.etag !== textOf(listed, 'ETag')?.replaceAll('"', '') || (sum && sum !== part.checksum?.value)) {
      throw invalid('InvalidPart', `Part ${number} was not found, or is another one.`);
    }
    parts.push(part);
  }
  if (parts.length === 0) throw invalid('MalformedXML', 'A completion lists at least one part.');
  return parts;
};

/** Describes the object that parts make up. */
const describeWhole = (key: string, { headers }: Description, parts: readonly Description[]): Description => {
  const etag = createHash('md5')
    .update(parts.map((part) => part.etag).join(''), 'hex')
    .digest('hex');
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  return { key, size, headers, modified: Date.now(), etag: `${etag}-${parts.length}` };
};
