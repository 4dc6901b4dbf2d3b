import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { Requirements } from './requirements.ts';

/** The maximum size of a METADATA or PKG-INFO file in bytes. */
export const metadataBytesMax = 10 * 1024 * 1024;

/** What is read of the metadata of a file. */
export interface CoreMetadata extends Requirements {
  /** In the spelling of the publisher. */
  readonly name: string;
  /** In the spelling of the publisher. */
  readonly version: string;
}

const fieldBytesMax = 1_000;

/**
 * Parses METADATA or PKG-INFO: fields as in an e-mail, up to the first empty line. Tools disagree on which of two equal fields
 * counts, so name and version must be there once. A label begins each refusal.
 */
export const parseCoreMetadata = (bytes: Uint8Array, label: string): CoreMetadata => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const [head = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n\r?\n/, 1);
  // A line that begins with white space continues the line before.
  const lines = head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const valuesOf = (field: string): string[] =>
    lines
      .filter((line) => line.slice(0, field.length + 1).toLowerCase() === `${field}:`)
      .map((line) => line.slice(field.length + 1).trim());
  const single = (field: string): string => {
    const [value, ...others] = valuesOf(field);
    if (value === undefined || value === '' || others.length > 0 || Buffer.byteLength(value) > fieldBytesMax)
      throw malformed(`${label} must have one field '${field}' of at most ${fieldBytesMax} bytes.`);
    return value;
  };
  const requiresPython = valuesOf('requires-python').length > 0 ? single('requires-python') : undefined;
  return {
    name: single('name'),
    version: single('version'),
    ...(requiresPython !== undefined && { requiresPython }),
    requiresDist: valuesOf('requires-dist'),
  };
};
