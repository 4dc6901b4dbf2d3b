import { createHash } from 'node:crypto';
import type { Violation } from '../../shared/errors.ts';
import { broken, invalid } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { hashesOfIntegrity, hashesOfShasum, type ListedHash } from './integrity.ts';
import { type Manifest, withHashes } from './manifest.ts';
import { newNameProblems } from './names.ts';
import { hasTarballPath } from './paths.ts';
import { isTag } from './tags.ts';
import { normalVersion } from './versions.ts';

/** The files of one version that a publication attaches. */
interface AttachedFiles {
  readonly tarball: Buffer;
  /** The sigstore bundle that says how the tarball was built. */
  readonly provenance?: Buffer;
}

/** The checked content of an `npm publish` request. */
export interface Publication extends AttachedFiles {
  readonly manifest: Manifest;
  /** The dist-tags that must point to the version. */
  readonly tags: readonly string[];
  /** What the package shows from now on, which is the beginning of the readme. */
  readonly head: JsonObject;
}

/** The rules about the name of the package, which the body repeats. */
export const nameViolations = (body: JsonObject, name: string): Violation[] =>
  ['_id', 'name']
    .filter((field) => body[field] !== undefined && body[field] !== name)
    .map((field) => broken([field], 'name', `${field} must be '${name}', as in the path of the request.`));

/** Parses the body of a publication of the package in the path. libnpmpublish writes such bodies. */
export const parsePublish = (body: JsonObject, name: string): Publication => {
  const violations = [
    ...newNameProblems(name).map((message) => broken(['name'], 'name', message)),
    ...nameViolations(body, name),
  ];
  const sent = readVersion(body, name, violations);
  const tags = readTags(body, sent?.key, violations);
  const files = attachedFiles(body, violations);
  if (violations.length > 0 || !sent || !files) throw invalid(violations);
  const hashes = checkHashes(sent, files.tarball);
  const { readme, readmeFilename, ...manifest } = sent.manifest;
  const head = headOf(readme ?? body.readme, readmeFilename ?? body.readmeFilename);
  return { manifest: withHashes(manifest, hashes), tags, head, ...files };
};

interface SentVersion {
  /** The version in the spelling of the body. */
  readonly key: string;
  readonly manifest: Manifest;
}

const readVersion = ({ versions }: JsonObject, name: string, violations: Violation[]): SentVersion | undefined => {
  const [first, ...others] = isObject(versions) ? Object.entries(versions) : [];
  if (!first || others.length > 0 || !isObject(first[1])) {
    violations.push(broken(['versions'], 'single', 'versions must contain exactly one version with its manifest.'));
    return undefined;
  }
  const [key, manifest] = first;
  const version = normalVersion(key);
  if (version === undefined)
    violations.push(broken(['versions', key], 'semver', `'${key.slice(0, 100)}' is no version, such as 1.0.0.`));
  else if (!hasTarballPath(name, version))
    violations.push(broken(['versions', key], 'length', 'Name and version together have at most 250 characters.'));
  if (manifest.version !== key)
    violations.push(broken(['versions', key, 'version'], 'version', 'The manifest must have the version of its key.'));
  if (manifest.name !== name)
    violations.push(broken(['versions', key, 'name'], 'name', `The manifest must have the name '${name}'.`));
  return { key, manifest: { ...manifest, name, version: version ?? key } };
};

/** npm sends one. Their names are part of an expression of DynamoDB, which has at most 4 KB. */
const tagsMax = 100;

const readTags = (
  { 'dist-tags': tags }: JsonObject,
  version: string | undefined,
  violations: Violation[],
): string[] => {
  const entries = isObject(tags) ? Object.entries(tags) : [];
  if (entries.length > tagsMax)
    violations.push(broken(['dist-tags'], 'maxProperties', `A publication may move at most ${tagsMax} dist-tags.`));
  for (const [tag, target] of entries) {
    if (!isTag(tag)) violations.push(tagViolation(['dist-tags', tag], tag));
    if (version !== undefined && target !== version)
      violations.push(
        broken(['dist-tags', tag], 'version', `The tag must point at '${version}', the version in the body.`),
      );
  }
  return entries.map(([tag]) => tag);
};

/** The rule that the name of a tag breaks. */
export const tagViolation = (keys: readonly string[], tag: string): Violation =>
  broken(
    keys,
    'tag',
    `'${tag.slice(0, 100)}' is no dist-tag: a tag is a word that is not a version or a range of versions.`,
  );

/** Checks that the hashes in the manifest are those of the tarball. */
const checkHashes = ({ key, manifest }: SentVersion, bytes: Uint8Array): { sha1: string; sha512: string } => {
  const dist = isObject(manifest.dist) ? manifest.dist : {};
  const hashOf = (algorithm: ListedHash['algorithm']): string => createHash(algorithm).update(bytes).digest('hex');
  const isProved = (hashes: readonly ListedHash[]): boolean =>
    hashes.length > 0 && hashes.every(({ algorithm, hex }) => hashOf(algorithm) === hex);
  const listed = { integrity: hashesOfIntegrity(dist.integrity), shasum: hashesOfShasum(dist.shasum) };
  const wrong = (['integrity', 'shasum'] as const).filter(
    (field) => dist[field] !== undefined && !isProved(listed[field]),
  );
  if (wrong.length > 0)
    throw invalid(
      wrong.map((field) =>
        broken(['versions', key, 'dist', field], 'hash', `dist.${field} is not the hash of the attached tarball.`),
      ),
    );
  return { sha1: hashOf('sha1'), sha512: hashOf('sha512') };
};

const readmeBytesMax = 64 * 1024;

const filenameLengthMax = 255;

/** Every control character except tab and line ends. As JSON, most of them have six bytes. */
const controlCharacters = /[\p{Cc}--[\t\n\r]]/gv;

/** The beginning of a text. A streaming decoder leaves out a character that the cut splits. */
const shortened = (text: string): string =>
  new TextDecoder().decode(Buffer.from(text.replace(controlCharacters, '')).subarray(0, readmeBytesMax), {
    stream: true,
  });

/**
 * The readme belongs to the package. An index with a readme for each of 10,000 versions would have hundreds of
 * megabytes.
 */
const headOf = (readme: unknown, readmeFilename: unknown): JsonObject => {
  // npm sends this text when there is no file.
  if (typeof readme !== 'string' || readme === 'ERROR: No README data found!') return {};
  const isFilename = typeof readmeFilename === 'string' && readmeFilename.length <= filenameLengthMax;
  return { readme: shortened(readme), ...(isFilename && { readmeFilename }) };
};

interface Attachment {
  readonly file: string;
  readonly data: string;
  readonly length: unknown;
}

const attachmentOf = ([file, value]: [string, unknown]): Attachment => {
  const { data, length } = isObject(value) ? value : {};
  return { file, data: typeof data === 'string' ? data : '', length };
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
const attachedFiles = (body: JsonObject, violations: Violation[]): AttachedFiles | undefined => {
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

const tarballOf = (attachment: Attachment, violations: Violation[]): Buffer => {
  const { file, data } = attachment;
  const bytes = Buffer.from(data, 'base64');
  // Buffer.from ignores characters that are not base64.
  if (isBase64(data)) checkLength(attachment, bytes.length, violations);
  else
    violations.push(
      broken(['_attachments', file, 'data'], 'base64', 'The data of the tarball must be base64, not empty.'),
    );
  return bytes;
};

/** npm attaches the bundle as a text, and its length in UTF-16 code units. */
const provenanceOf = (attachment: Attachment, violations: Violation[]): Buffer => {
  const { file, data } = attachment;
  checkLength(attachment, data.length, violations);
  if (!isJsonObject(data))
    violations.push(broken(['_attachments', file, 'data'], 'json', 'The sigstore bundle must be one JSON object.'));
  return Buffer.from(data);
};
