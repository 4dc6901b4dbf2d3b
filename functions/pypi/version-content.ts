import { ApiError } from '../../shared/errors.ts';
import { type FileToPublish, fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import type { Distribution } from './distribution.ts';
import { parseFileName } from './filenames.ts';
import { otherSpellingsOf } from './other-spellings.ts';
import type { ProjectFile } from './project-files.ts';

/** A distribution to publish, and what belongs to it. */
export interface AttachedDistribution extends Distribution {
  /** The detached signature by OpenPGP. */
  readonly signature?: Uint8Array;
  /** The attestations as an index shows them (PEP 740). */
  readonly provenance?: Uint8Array;
}

/** The files to publish for a distribution. METADATA, signature and provenance have the name of the file and an ending. */
const filesOf = ({ file, received, metadata, signature, provenance }: AttachedDistribution): FileToPublish[] => {
  const attached = { '.metadata': metadata?.bytes, '.asc': signature, '.provenance': provenance };
  return [
    { name: file, mediaType: fileMediaType, received },
    ...Object.entries(attached).flatMap(([suffix, bytes]) =>
      bytes ? [{ name: file + suffix, mediaType: fileMediaType, received: fileInMemory(Buffer.from(bytes)) }] : [],
    ),
  ];
};

/** The text of a file in the index: what its page says, without its addresses. */
const textOf = (each: AttachedDistribution): string => {
  const { file, received, requiresPython, metadata, signature, provenance } = each;
  const described: ProjectFile = {
    filename: file,
    hashes: { sha256: received.hashes.sha256 },
    ...(requiresPython !== undefined && { 'requires-python': requiresPython }),
    size: received.size,
    'upload-time': new Date().toISOString(),
    yanked: false,
    ...(metadata && { 'core-metadata': { sha256: metadata.sha256 } }),
    ...(signature && { 'gpg-sig': true }),
    ...(provenance && { provenance: '' }),
  };
  return JSON.stringify(described);
};

/** Reads the text of a file in the index. */
export const fileOf = (text: string): ProjectFile => JSON.parse(text) as ProjectFile;

/** Two spellings of one name are one file: clients could not know which of them is meant. */
const refuseSpelling = (project: string, file: string, others: readonly string[]): void => {
  const identityOf = (name: string) => parseFileName(name, project)?.identity;
  const other = others.find((each) => each !== file && identityOf(each) === identityOf(file));
  if (other !== undefined)
    throw new ApiError('VERSION_EXISTS', `${file} already exists: its name is another spelling of ${other}.`);
};

/** The content of a version, from its distributions. Others can be added to the version later. */
export const versionContent = (first: AttachedDistribution, ...others: AttachedDistribution[]): VersionContent => {
  const { project, displayName, version } = first;
  const all = [first, ...others];
  const names = all.map(({ file }) => file);
  const stranger = others.find((each) => each.project !== project || each.version !== version);
  if (stranger)
    throw new ApiError(
      'PACKAGE_INVALID',
      `The files must be of one version: ${stranger.file} is not of ${displayName} ${version}.`,
    );
  for (const name of names) refuseSpelling(project, name, names);
  const texts = all.map(textOf);
  return {
    name: project,
    displayName,
    version,
    otherSpellings: otherSpellingsOf(version),
    files: all.flatMap(filesOf),
    parts: texts,
    addedParts: (parts) => {
      const known = parts.map((part) => fileOf(part).filename);
      for (const name of names) refuseSpelling(project, name, known);
      return [...parts, ...texts];
    },
  };
};
