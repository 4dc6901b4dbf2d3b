import type { FileKind } from './paths.ts';

/** The media type of lists, of go.mod and of checksums. */
export const textType = 'text/plain; charset=utf-8';

/** The media types of the files of a version, whatever a publisher or an upstream says. */
export const mediaTypes: Readonly<Record<FileKind, string>> = {
  info: 'application/json',
  mod: textType,
  zip: 'application/zip',
};
