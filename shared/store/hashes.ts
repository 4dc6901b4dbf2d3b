import { createHash } from 'node:crypto';

/**
 * The hashes of a file that clients of the package types need, in hex. S3 itself checks the SHA-256 of a large upload: if
 * nobody reads the file, the others stay unknown.
 */
export interface FileHashes {
  readonly sha256: string;
  readonly sha512?: string;
  readonly sha1?: string;
  readonly md5?: string;
}

/** The hashes of a file that was read to its end. */
export type AllHashes = Required<FileHashes>;

/** The names of all hashes. */
export const hashNames = ['sha256', 'sha512', 'sha1', 'md5'] as const satisfies readonly (keyof FileHashes)[];

/** Receives bytes piece by piece, and returns hashes at the end: by default all. */
export const hashing = <Name extends keyof FileHashes = keyof FileHashes>(
  names: readonly Name[] = hashNames as readonly (keyof FileHashes)[] as readonly Name[],
) => {
  const hashes = names.map((name) => [name, createHash(name)] as const);
  return {
    update: (bytes: Uint8Array): void => {
      for (const [, hash] of hashes) hash.update(bytes);
    },
    digest: (): Record<Name, string> =>
      Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')])) as Record<Name, string>,
  };
};
