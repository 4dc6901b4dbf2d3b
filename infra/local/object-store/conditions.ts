import type { Description } from './files.ts';
import { type Headers, invalid, notImplemented, Refusal } from './wire.ts';

type Range = readonly [start: number, end: number];

/** S3 copies ranges of larger objects only. */
const rangedCopyBytesMin = 5 * 1024 ** 2;

export const noSuchKey = (): Refusal => new Refusal(404, 'NoSuchKey', 'The specified key does not exist.');
const preconditionFailed = (): Refusal => new Refusal(412, 'PreconditionFailed', 'A condition did not hold.');

const hasEtag = (list: string, etag: string): boolean =>
  list.split(',').some((entry) => ['*', etag].includes(entry.trim().replaceAll('"', '')));

/** Whether an object may be read. The source of a copy has headers of its own for it, and is never 'not modified'. */
export const checkRead = (headers: Headers, { etag, modified }: Description, prefix = ''): void => {
  const [match, noneMatch, since, unmodifiedSince] = ['match', 'none-match', 'modified-since', 'unmodified-since'].map(
    (name) => headers[`${prefix}if-${name}`],
  );
  const wholeSecond = Math.floor(modified / 1000) * 1000;
  if (match ? !hasEtag(match, etag) : wholeSecond > Date.parse(unmodifiedSince ?? '')) throw preconditionFailed();
  if (noneMatch ? !hasEtag(noneMatch, etag) : !(wholeSecond <= Date.parse(since ?? ''))) return;
  if (prefix) throw preconditionFailed();
  const about = { ETag: `"${etag}"`, 'Last-Modified': new Date(modified).toUTCString() };
  throw new Refusal(304, 'NotModified', 'Not Modified', about);
};

/** Whether an object may be replaced or removed. */
export const checkWrite = (headers: Headers, existing: Description | undefined): void => {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (noneMatch !== undefined && noneMatch !== '*') throw notImplemented('If-None-Match with an ETag');
  if (match !== undefined && !existing) throw noSuchKey();
  if (existing && (noneMatch ?? !hasEtag(match ?? '*', existing.etag))) throw preconditionFailed();
};

/** The bytes that a call asks for, when not for all. Whatever is no single range is passed over. */
export const rangeOf = ({ range = '' }: Headers, { size }: Description): Range | undefined => {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first + last === '' || (first && last && Number(first) > Number(last))) return undefined;
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Math.min(Number(last), size - 1) : size - 1;
  if (start <= end) return [start, end];
  throw new Refusal(416, 'InvalidRange', 'The range is not satisfiable.', { 'Content-Range': `bytes */${size}` });
};

/** The bytes that a copy takes. */
export const copyRangeOf = ({ 'x-amz-copy-source-range': range }: Headers, { size }: Description): Range => {
  if (range === undefined) return [0, size - 1];
  const [start = Number.NaN, end = Number.NaN] = /^bytes=(\d+)-(\d+)$/.exec(range)?.slice(1).map(Number) ?? [];
  if (!(start <= end && end < size)) throw invalid('InvalidArgument', `The range must lie within ${size} bytes.`);
  if (size <= rangedCopyBytesMin) throw invalid('InvalidRequest', 'A source of at most 5 MB is copied whole only.');
  return [start, end];
};
