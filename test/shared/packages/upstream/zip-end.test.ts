import { ZipEnd } from '../../../../shared/packages/upstream/zip-end.ts';
import { zipOf } from '../../../harness/zips.ts';

const endsAsZip = (bytes: Buffer, pieceBytes: number): boolean => {
  const end = new ZipEnd();
  for (let at = 0; at < bytes.length; at += pieceBytes) end.add(bytes.subarray(at, at + pieceBytes));
  return end.isThere;
};

const files = [{ path: 'A.class', content: 'a' }];

describe.each([1, 2, 3, 1_000, 1_000_000])('A stream in pieces of %i bytes', (pieceBytes) => {
  it.each([
    ['a zip', zipOf(files)],
    ['an empty zip', zipOf([])],
    ['a zip after a script', Buffer.concat([Buffer.from('#!/bin/sh\n'), zipOf(files)])],
    ['a zip with the longest comment', zipOf(files, 'c'.repeat(65_535))],
    ['a zip that holds one', zipOf([{ path: 'inner.jar', content: zipOf(files), method: 0 }], 'a comment')],
  ])('ends as a zip if it is %s', (_, bytes) => {
    expect(endsAsZip(bytes, pieceBytes)).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('Not found')],
    ['a zip before more than a comment', Buffer.concat([zipOf(files), Buffer.alloc(65_536, 'x')])],
    ['a zip that is cut off', zipOf(files).subarray(0, -22)],
  ])('does not if it is %s', (_, bytes) => {
    expect(endsAsZip(bytes, pieceBytes)).toBe(false);
  });
});
