import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { algorithmOf, xmlOf } from './body.ts';
import { algorithms, Content } from './checksums.ts';
import { checkWrite } from './conditions.ts';
import { type Description, type Files, sync } from './files.ts';
import { contentOf, describeContent, elementsOf, headersToKeep, stored } from './objects.ts';
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
  const { content, algorithm, source } = contentOf(call, files, checksum?.algorithm);
  const folder = folderOf(call, files);
  const describe = () => describeContent(`${number}`, {}, content, algorithm);
  const part = await files.write(partOf(folder, number), content, describe, (swap) => {
    uploadOf(call, files);
    swap();
  });
  return stored(part, source && 'CopyPartResult');
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
  const content = new Content(dataOf(parts, call, files), []);
  const md5 = createHash('md5')
    .update(parts.map(({ etag }) => etag).join(''), 'hex')
    .digest('hex');
  const etag = `${md5}-${parts.length}`;
  const describe = () => ({ ...describeContent(key, upload.headers, content, undefined), etag });
  const path = files.pathOf(call);
  const object = await files.write(path, content, describe, (swap) => {
    uploadOf(call, files);
    checkWrite(headers, files.describe(path));
    swap();
    rmSync(folderOf(call, files), { recursive: true });
  });
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

const dataOf = async function* (parts: readonly Description[], call: SignedCall, files: Files): AsyncGenerator<Buffer> {
  for (const part of parts) {
    const path = partOf(folderOf(call, files), part.key);
    // The upload may have ended meanwhile, or another part may have come under the number.
    uploadOf(call, files);
    const data = files.read(path, ({ etag, size }, open) => etag === part.etag && open(0, size - 1));
    if (!data) throw invalid('InvalidPart', `Part ${part.key} is not the listed one any more.`);
    yield* data;
  }
};
