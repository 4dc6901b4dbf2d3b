import { stagingObjectKey } from '../../store/keys.ts';
import type { AnnouncedFile, FileParts } from '../../table/packages/uploads.ts';

/** A file of a session, and its key in the staging area. */
export interface StagedFile extends AnnouncedFile {
  readonly key: string;
}

/** A file that is sent in parts. */
export interface FileInParts extends StagedFile {
  readonly parts: FileParts;
}

/** The files of a session in the staging area. */
export const stagedFiles = (uploadId: string, files: readonly AnnouncedFile[]): readonly StagedFile[] =>
  files.map((file, index) => ({ ...file, key: stagingObjectKey(`${uploadId}-${index}`) }));

/** Whether a file is sent in parts. */
export const isInParts = (file: StagedFile): file is FileInParts => file.parts !== undefined;
