import { ApiError } from '../../errors.ts';
import { fileInMemory } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';
import { referToBlob, releaseBlob } from '../../table/packages/blobs.ts';
import { type Generation, generationReplaced } from '../../table/packages/generations.ts';
import { generationKey } from '../../table/packages/package-keys.ts';
import { untilSettled } from '../../table/races.ts';
import { contentIdOf, type Repository } from '../../table/repositories/repositories.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import type { Write } from '../../table/writes.ts';
import { storeBlob } from '../blobs/blob-storage.ts';
import { readSmallBlob } from '../blobs/small-blobs.ts';

/** A document, and what is written in the transaction that makes it the current one. */
export interface MadeGeneration {
  readonly content: Buffer;
  readonly writes: readonly Write[];
  /** Set if this is a step on the way: it is stored, and the document is made anew from it. */
  readonly isStep?: true;
}

/** A document that is to be made from a revision of its sources. */
export interface WantedGeneration {
  readonly document: string;
  /** It changes whenever one of the sources changes. */
  readonly revision: string;
  /** Makes the document from its sources, as they are now, and from the generation before; that is undefined if there is none. */
  readonly make: (before: Buffer | undefined) => Promise<Buffer | MadeGeneration>;
}

/** The parts of a request that a generation needs. */
export interface GenerationCall {
  readonly table: Table;
  readonly repository: Repository;
}

/**
 * The current generation of a document that every reader shall get with the same bytes: the first read of a revision makes it from the
 * generation before, and stores it. Of two that are made at once, one is stored, and the other is made anew from it: the sources are
 * read after the generation before, so that no generation is older than that. Who lost twice takes what is there: the second generation
 * after the first one that a request saw was made from the one between, so its sources were read since, and it has all that was published
 * before the request. Throws REPOSITORY_NOT_FOUND if the repository was emptied or deleted meanwhile, and SERVICE_UNAVAILABLE.
 */
export const currentGeneration = async (
  { table, repository }: GenerationCall,
  { document, revision, make }: WantedGeneration,
): Promise<Buffer> => {
  const key = generationKey(contentIdOf(repository), document);
  let seen: number | undefined;
  const store = async (): Promise<{ content: Buffer; isStep: boolean } | undefined> => {
    const before = (await table.read([key])).find(key);
    const number = before?.number ?? 0;
    seen ??= number;
    const kept = before && (await readSmallBlob(table, before.blob));
    if (kept && (before.revision === revision || number > seen + 1)) return { content: kept, isStep: false };
    const made = await make(kept);
    const { content, writes, isStep = false } = Buffer.isBuffer(made) ? { content: made, writes: [] } : made;
    const next = before && kept?.equals(content) ? before.blob : await storedBlob(table, repository, content);
    // A document that the store had lost may be made with the same bytes.
    const moved = next.objectId === before?.blob.objectId ? [] : [referToBlob(next), ...releasedBefore(before)];
    const refusal = await table.writeUnrecorded([
      sameContent(repository),
      generationReplaced(key, before, {
        revision: isStep ? (before?.revision ?? '') : revision,
        number: isStep ? number : number + 1,
        blob: next,
      }),
      ...moved,
      ...writes,
    ]);
    if (!refusal) return { content, isStep };
    if (refusal[0]) throw new ApiError('REPOSITORY_NOT_FOUND');
    return undefined;
  };
  let stored = await untilSettled(table, store);
  while (stored.isStep) stored = await untilSettled(table, store);
  return stored.content;
};

/** The generation of a document that was stored last, of whatever revision; undefined if there is none, or the store has lost it. */
export const lastGeneration = async (
  { table, repository }: GenerationCall,
  document: string,
): Promise<Buffer | undefined> => {
  const key = generationKey(contentIdOf(repository), document);
  const last = (await table.read([key])).find(key);
  return last && readSmallBlob(table, last.blob);
};

const storedBlob = async (table: Table, { workspaceId }: Repository, content: Buffer) =>
  storeBlob(table, workspaceId, fileInMemory(content));

const releasedBefore = (before: Generation | undefined) => (before ? releaseBlob(before.blob) : []);
