import { ApiError } from '../../shared/errors.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { type FoundIndexes, findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { crateGate } from './gate.ts';
import { type IndexLine, mergeLines, readLine } from './index-lines.ts';
import { packageNameOf } from './names.ts';
import { upstreamIndex } from './upstream-documents.ts';

/** The error for a crate that a repository does not have under this spelling. */
const missingCrate = (crate: string): ApiError =>
  new ApiError('PACKAGE_NOT_FOUND', `There is no crate '${crate}' in this repository.`);

const localLines = ({ entries }: LoadedIndex): IndexLine[] =>
  Array.from(entries.values(), ({ parts: [text = ''] }) => readLine(text)).filter((line) => line !== undefined);

/** Finds the versions of a crate in the sources of an address. Throws as `findIndexes`. */
export const findCrate = async (
  call: IndexCall,
  sources: Sources,
  crate: string,
): Promise<FoundIndexes<readonly IndexLine[]>> =>
  findIndexes(call, sources, {
    name: packageNameOf(crate),
    ofLocal: localLines,
    ofUpstream: (source) => upstreamIndex(source, crate),
    gate: crateGate,
  });

/**
 * The lines of a crate that is spelled so in lower case. As in the index of crates.io, a crate is not found under the spelling
 * of another one.
 */
export const linesOf = (indexes: readonly (readonly IndexLine[])[], crate: string): readonly IndexLine[] => {
  const lines = mergeLines(indexes).filter(({ name }) => name.toLowerCase() === crate);
  if (lines.length === 0) throw missingCrate(crate);
  return lines;
};
