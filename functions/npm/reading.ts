import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { gateFor } from '../../shared/packages/releases/open-gate.ts';
import type { DocumentCall } from '../../shared/packages/serve/document-answers.ts';
import { type FoundIndexes, findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { packumentGate } from './gate.ts';
import type { ManifestForm } from './index-entries.ts';
import { type PackageIndex, tagsOf } from './packument.ts';
import { tarballPath } from './paths.ts';
import { timedPackument, upstreamPackument } from './upstream-documents.ts';

/** The parts of a request that reading a package needs. */
export type ReadCall = IndexCall & DocumentCall;

const localIndexOf = ({ head, entries: found, tags }: LoadedIndex): PackageIndex => {
  const { document, createdAt, updatedAt } = head;
  const entries = [...found.values()];
  return {
    entries,
    tags: tagsOf({ tags }, entries),
    ...(document !== undefined && { head: parseObject(document, 'The document') }),
    created: createdAt,
    modified: updatedAt,
  };
};

/** Finds a package in the sources of an address, in the form that a client wants. Throws as `findIndexes`. */
export const findPackage = async (
  call: IndexCall,
  sources: Sources,
  { name, form }: { readonly name: string; readonly form: ManifestForm },
): Promise<FoundIndexes<PackageIndex>> =>
  findIndexes(call, sources, {
    name,
    ofLocal: localIndexOf,
    ofUpstream: (source) => {
      const open = form === 'abbreviated' ? gateFor(source, name) : undefined;
      return open ? timedPackument(source, name, open) : upstreamPackument(source, name, form);
    },
    gate: packumentGate,
  });

/** The address of the tarball of a version. It begins with the base URL of the request, because there may be several. */
export const addressOf =
  ({ baseUrl, params: { workspace, repository } }: DocumentCall, name: string) =>
  (version: string): string =>
    `${baseUrl}/npm/${encodeURIComponent(workspace)}/${encodeURIComponent(repository)}/${tarballPath(name, version)}`;
