import type { Violation } from '../../shared/errors.ts';
import { broken } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';

/** A file that a publication attaches. */
export interface PublishedFile {
  readonly bytes: Uint8Array;
}

/** The files of one version. */
export interface PublishedFiles {
  readonly tarball: PublishedFile;
  /** The sigstore bundle that says how the tarball was built. */
  readonly provenance?: PublishedFile;
}

interface Attachment {
  readonly file: string;
  readonly data: string;
  readonly length: unknown;
}

const attachmentOf = ([file, value]: [string, unknown]): Attachment => {
  const { data, length } = isObject(value) ? value : {};
  return {
    file,
    data: typeof data === 'string' ? data : '',
    length,
  };
};

const attachmentsOf = ({ _attachments: attachments }: JsonObject): Attachment[] =>
  isObject(attachments) ? Object.entries(attachments).map(attachmentOf) : [];

/** Whether a PUT of a package publishes. Without attachments the same request updates what is there. */
export const isPublication = (body: JsonObject): boolean => attachmentsOf(body).length > 0;

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

const isJsonObject = (text: string): boolean => {
  try {
    return isObject(parseObject(text, 'The bundle'));
  } catch {
    return false;
  }
};

/** The files in the body of a publication. Clients name them differently, so only the extension says what a file is. */
export const publishedFiles = (body: JsonObject, violations: Violation[]): PublishedFiles | undefined => {
  const attachments = attachmentsOf(body);
  const tarballs = attachments.filter(({ file }) => file.endsWith('.tgz'));
  const bundles = attachments.filter(({ file }) => file.endsWith('.sigstore'));
  const [tarball] = tarballs;
  const [bundle] = bundles;
  if (!tarball || tarballs.length > 1 || bundles.length > 1 || tarballs.length + bundles.length < attachments.length) {
    violations.push(
      broken(['_attachments'], 'files', '_attachments must contain one .tgz file, and may contain one .sigstore file.'),
    );
    return undefined;
  }
  const files = { tarball: tarballOf(tarball, violations) };
  return bundle ? { ...files, provenance: provenanceOf(bundle, violations) } : files;
};

const checkLength = ({ file, length }: Attachment, actual: number, violations: Violation[]): void => {
  if (length !== undefined && length !== actual)
    violations.push(
      broken(['_attachments', file, 'length'], 'length', `length must be ${actual}, that of the attached data.`),
    );
};

const tarballOf = (attachment: Attachment, violations: Violation[]): PublishedFile => {
  const { file, data } = attachment;
  const bytes = Buffer.from(data, 'base64');
  // Buffer.from ignores characters that are not base64.
  if (isBase64(data)) checkLength(attachment, bytes.length, violations);
  else
    violations.push(
      broken(['_attachments', file, 'data'], 'base64', 'The data of the tarball must be base64, not empty.'),
    );
  return { bytes };
};

/** npm attaches the bundle as a text, and its length in UTF-16 code units. */
const provenanceOf = (attachment: Attachment, violations: Violation[]): PublishedFile => {
  const { file, data } = attachment;
  checkLength(attachment, data.length, violations);
  if (!isJsonObject(data))
    violations.push(broken(['_attachments', file, 'data'], 'json', 'The sigstore bundle must be one JSON object.'));
  return { bytes: Buffer.from(data) };
};
