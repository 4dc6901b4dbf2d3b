import { ApiError } from '../../errors.ts';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import type { JsonObject } from '../formats/json-objects.ts';
import { localEntries, mergeEntries, type NupkgEntry, type OrderedEntry } from '../nupkg/package-entries.ts';
import { compareVersions, normalVersion, parseVersion } from '../nupkg/versions.ts';
import { answerLargeDocument, type DocumentCall } from '../serve/document-answers.ts';
import type { DownloadCall } from '../serve/file-download.ts';
import { fileEndpoint } from '../serve/file-endpoint.ts';
import { type FoundIndexes, findIndexes, type IndexCall } from '../serve/package-indexes.ts';
import { orPending } from '../serve/pending-documents.ts';
import type { WhilePending } from '../serve/wait-redirects.ts';
import type { AddressedType } from '../sources/addressed-type.ts';
import { isRemote } from '../sources/resolution.ts';
import type { Sources } from '../sources/sources.ts';
import { type PackageUrls, urlsOf } from './addresses.ts';
import { entriesGate, type VersionTimes, versionsGate } from './gate.ts';
import { type ProtocolPath, parsePath } from './paths.ts';
import { registrationIndex, registrationLeaf, registrationPage } from './registrations.ts';
import { type ServicePaths, serviceIndex } from './service-index.ts';
import { locatePackage, locationKeys, releaseOf, upstreamEntries, upstreamVersions } from './upstream-packages.ts';

/** A package type whose packages are of this form. */
export type NupkgType = AddressedType & { readonly whilePending: WhilePending };

/** The parts of a request that reading needs. */
export type NupkgCall = IndexCall & DownloadCall & DocumentCall;

type Answer = BytesResult | RedirectResult;

const json = (document: JsonObject): Buffer => Buffer.from(JSON.stringify(document));

/** Finds what is known of the versions of a package. Throws as `findIndexes`. */
export const findEntries = async (
  call: IndexCall,
  sources: Sources,
  name: string,
): Promise<FoundIndexes<readonly NupkgEntry[]>> =>
  findIndexes(call, sources, {
    name,
    ofLocal: localEntries,
    ofUpstream: (source: RemoteRepository) => upstreamEntries(source, name),
    gate: entriesGate,
  });

/** What is found of a package; undefined where there is no such one. */
export const ifAny = async <T>(find: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PACKAGE_NOT_FOUND') return undefined;
    throw error;
  }
};

/** Finds the versions of a package. Throws as `findIndexes`. */
const findVersions = async (
  call: IndexCall,
  sources: Sources,
  name: string,
): Promise<FoundIndexes<readonly VersionTimes[]>> =>
  findIndexes(call, sources, {
    name,
    ofLocal: ({ entries }): readonly VersionTimes[] => Array.from(entries.keys(), (version) => ({ version })),
    ofUpstream: (source: RemoteRepository) => upstreamVersions(source, name),
    gate: versionsGate,
  });

/** The versions of several indexes in their normal form, each once, the lowest first. */
const mergeVersions = (indexes: readonly (readonly VersionTimes[])[]): readonly string[] => {
  const merged = new Set(indexes.flat().flatMap(({ version }) => normalVersion(version) ?? []));
  const parsed = Array.from(merged, (text) => ({ text, version: parseVersion(text) }));
  return parsed
    .toSorted((one, other) => (one.version && other.version ? compareVersions(one.version, other.version) : 0))
    .map(({ text }) => text);
};

/** The refusal of a version that no source has. */
export const missingVersion = (name: string, version: string): ApiError =>
  new ApiError('VERSION_NOT_FOUND', `There is no version ${version} of a package '${name}' in this repository.`);

/** A path about all versions of a package. */
type RegistrationPath = Extract<ProtocolPath, { readonly kind: 'registration' | 'page' | 'leaf' }>;

const registrationOf = (path: RegistrationPath, entries: readonly OrderedEntry[], urls: PackageUrls): JsonObject => {
  if (path.kind === 'registration') return registrationIndex(path.name, entries, urls);
  if (path.kind === 'page') {
    const page = registrationPage(path, entries, urls);
    if (!page) throw missingVersion(path.name, `from ${path.lower} to ${path.upper}`);
    return page;
  }
  const leaf = registrationLeaf(path.version, entries, urls);
  if (!leaf) throw missingVersion(path.name, path.version);
  return leaf;
};

const mediaType = 'application/json';

/** Reads of a repository of a type, by version 3 of the protocol. `paths` are its addresses of requests. */
export const protocolEndpoint = (type: NupkgType, paths: ServicePaths) => {
  const addressIn = ({ path }: { readonly path: string }) => {
    const parsed = parsePath(path);
    return parsed?.kind === 'file' ? parsed : undefined;
  };
  const indexIn = ({ path }: { readonly path: string }) => {
    const parsed = parsePath(path);
    return parsed && 'name' in parsed && parsed.kind !== 'file' ? { name: parsed.name } : undefined;
  };
  const files = fileEndpoint(type, {
    addressIn,
    indexIn,
    locate: locatePackage,
    locationKeys,
    releaseOf,
    missing: ({ name, version }) => missingVersion(name, version),
  });
  const answerFound = async <I>(
    call: NupkgCall,
    path: string,
    found: FoundIndexes<I>,
    render: (indexes: readonly I[]) => JsonObject,
  ): Promise<Answer> =>
    answerLargeDocument(call, {
      ...found,
      sourceBytes: found.bytes,
      revision: `${found.revision}/${path.toLowerCase()}`,
      fileName: 'index.json',
      mediaType,
      render: async () => json(render(await found.load())),
    });
  // Nobody tells of vulnerabilities of what local repositories have.
  const ofLocal: ServicePaths = { ...paths, vulnerabilities: undefined };
  return {
    files,
    alsoRead: files.alsoRead,
    /** Answers a path; undefined if the protocol has no such one. */
    answer: async (call: NupkgCall, sources: Sources, path: string): Promise<Answer | undefined> => {
      const parsed = parsePath(path);
      if (!parsed) return undefined;
      const urls = urlsOf(type, call);
      if (parsed.kind === 'service')
        return {
          kind: 'bytes',
          mediaType,
          content: json(serviceIndex(urls, sources.all.some(isRemote) ? paths : ofLocal)),
        };
      if (parsed.kind === 'file') return files.serve(call, sources, parsed);
      return orPending(type, call, async () => {
        if (parsed.kind === 'versions') {
          const found = await findVersions(call, sources, parsed.name);
          return answerFound(call, path, found, (indexes) => ({ versions: mergeVersions(indexes) }));
        }
        const found = await findEntries(call, sources, parsed.name);
        return answerFound(call, path, found, (indexes) => registrationOf(parsed, mergeEntries(indexes), urls));
      });
    },
  };
};
