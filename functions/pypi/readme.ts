import { type Readme, type ReadmeSource, readmeInTar, readmeText } from '../../shared/packages/formats/readme.ts';
import type { ReadmeType } from '../../shared/packages/formats/readme-types.ts';
import { readWheelMetadata } from './wheel-metadata.ts';

/** The media types that a project may give its description (packaging.python.org, core metadata). */
const mediaTypes: ReadonlyMap<string, ReadmeType> = new Map([
  ['text/markdown', 'text/markdown; charset=utf-8'],
  ['text/x-rst', 'text/x-rst; charset=utf-8'],
]);

/**
 * The description in METADATA: what follows the first empty line, as all tools have written it since metadata 2.1. Its media type is
 * in a field.
 */
export const descriptionIn = (metadata: Uint8Array): Readme | undefined => {
  const bytes = Buffer.from(metadata.buffer, metadata.byteOffset, metadata.length);
  const ends = ['\n\n', '\r\n\r\n'].map((end) => ({ at: bytes.indexOf(end), length: end.length }));
  const [end] = ends.filter(({ at }) => at >= 0).toSorted((one, other) => one.at - other.at);
  const text = end && readmeText(bytes.subarray(end.at + end.length)).trim();
  if (!text) return undefined;
  const head = bytes.subarray(0, end.at).toString();
  const [, type = ''] = /^description-content-type:[ \t]*([a-z/-]+)/im.exec(head) ?? [];
  return { mediaType: mediaTypes.get(type.toLowerCase()) ?? 'text/plain; charset=utf-8', text };
};

/** Where the versions of a project have their description: in a wheel, or else as a file of the source distribution. */
export const pypiReadme: ReadmeSource = [
  { file: /\.whl$/, read: async (wheel) => descriptionIn(await readWheelMetadata(wheel)) },
  { file: /\.tar\.gz$/, read: readmeInTar('source distribution') },
];
