import { type AnsweredCall, outOfOrder, type Progressed } from './blob-uploads.ts';

type RangedCall = AnsweredCall & { header(name: string): string | undefined };

/**
 * Refuses a chunk that does not begin where the upload ends. Without a Content-Range, the bytes are those that follow. The
 * specification of distribution has no unit and no total in it, and some clients send both.
 */
export const checkRange = (call: RangedCall, progressed: Progressed, length: number): void => {
  const header = call.header('content-range');
  if (header === undefined) return;
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/.exec(header.trim()) ?? [];
  if (first === undefined || last === undefined || Number(first) !== progressed.upload.size)
    throw outOfOrder(call, progressed);
  const announced = Number(last) - Number(first) + 1;
  if (length > 0 && announced !== length)
    throw outOfOrder(call, progressed, `Content-Range names ${announced} bytes, and the request has ${length}.`);
};
