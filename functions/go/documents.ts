import { ApiError } from '../../shared/errors.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { heldError } from '../../shared/packages/releases/open-gate.ts';
import { answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { type FoundIndexes, findIndexes, type WantedIndex } from '../../shared/packages/serve/package-indexes.ts';
import { answeringSources, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { isPresent } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { datedVersion, datedVersions, infoGate, listGate } from './gate.ts';
import { textType } from './media-types.ts';
import type { GoPath } from './paths.ts';
import { infoAnswer, type ModuleCall, passingInfo, serveVersionFile } from './reading.ts';
import { checksumsName, upstreamChecksums, upstreamLatest, upstreamQuery } from './upstream-documents.ts';
import type { VersionInfo } from './version-info.ts';
import { compareVersions, isPseudoVersion, latestOf } from './versions.ts';

type Answer = BytesResult | RedirectResult;

const noModule = (name: string): ApiError =>
  new ApiError('PACKAGE_NOT_FOUND', `There is no module '${name}' in this repository.`);

/**
 * Refuses a module that no source can have, by the items of the first read alone: go asks for each beginning of the path of a
 * package, and most of them are no modules. `loaded` must have the heads of the module.
 */
const requireModule = ({ loaded }: ModuleCall, sources: Sources, name: string): void => {
  const isPossible = answeringSources(sources, name, loaded).some(
    (source) => isRemote(source) || isPresent(loaded.find(packageHeadKey({ contentId: contentIdOf(source), name }))),
  );
  if (!isPossible) throw noModule(name);
};

/** Finds the versions of a module. Local repositories list no pseudo-versions. */
const findList = async (call: ModuleCall, sources: Sources, name: string): Promise<FoundIndexes<readonly string[]>> =>
  findIndexes(call, sources, {
    name,
    ofLocal: ({ entries }): readonly string[] =>
      [...entries.keys()].filter((version) => !isPseudoVersion(version)).toSorted(compareVersions),
    ofUpstream: (source) => datedVersions(source, name),
    gate: listGate,
  });

/** The versions of a module, each in a line. */
export const listAnswer = async (call: ModuleCall, sources: Sources, name: string): Promise<Answer> => {
  requireModule(call, sources, name);
  const found = await findList(call, sources, name);
  return answerLargeDocument(call, {
    ...found,
    fileName: 'list',
    revision: `${found.revision}/list`,
    mediaType: textType,
    render: async () => {
      const versions = new Set((await found.load()).flat());
      return Buffer.from(Array.from(versions, (version) => `${version}\n`).join(''));
    },
  });
};

/** The latest version that passes, where a gate holds back what an upstream calls the latest. Throws VERSION_HELD if there is none. */
const latestBelow = async (
  call: ModuleCall,
  sources: Sources,
  { name, held: [held] }: Pick<FoundIndexes<unknown>, 'name' | 'held'>,
): Promise<string | undefined> => {
  if (!held) return undefined;
  const version = latestOf((await (await findList(call, sources, name)).load()).flat());
  if (version === undefined) throw heldError(held);
  return version;
};

/** The latest version of a module: that of the first source that has one. */
export const latestAnswer = async (call: ModuleCall, sources: Sources, name: string): Promise<Answer> => {
  requireModule(call, sources, name);
  const found = await findIndexes<string | VersionInfo | undefined>(call, sources, {
    name,
    ofLocal: ({ entries }) => latestOf(entries.keys()),
    ofUpstream: (source) => datedVersion(source, upstreamLatest(source, name)),
    gate: infoGate,
  });
  const latest = (await found.load()).find((each) => each !== undefined) ?? (await latestBelow(call, sources, found));
  if (latest === undefined) throw noModule(name);
  if (typeof latest === 'string') return serveVersionFile(call, sources, { name, version: latest, fileKind: 'info' });
  return infoAnswer(call, found, latest, 'latest');
};

/** Finds what only upstreams have, in those remote sources that may answer for a module, and in others for no module. */
const findUpstream = async <D>(
  call: ModuleCall,
  sources: Sources,
  module: string | undefined,
  wanted: Pick<WantedIndex<D | undefined>, 'name' | 'ofUpstream' | 'gate'>,
  otherwise: ApiError,
): Promise<FoundIndexes<D | undefined>> => {
  const answering = module === undefined ? sources.all : answeringSources(sources, module, call.loaded);
  const remotes = { ...sources, all: answering.filter(isRemote) };
  if (remotes.all.length === 0) throw otherwise;
  try {
    return await findIndexes<D | undefined>(call, remotes, { ...wanted, ofLocal: () => undefined });
  } catch (error) {
    throw error instanceof ApiError && error.code === 'PACKAGE_NOT_FOUND' ? otherwise : error;
  }
};

/** The version that a query stands for. Only an upstream knows the branches of a module. */
export const queryAnswer = async (
  call: ModuleCall,
  sources: Sources,
  { name, query }: Extract<GoPath, { kind: 'query' }>,
): Promise<Answer> => {
  const otherwise = new ApiError(
    'VERSION_NOT_FOUND',
    `There is no version '${query}' of '${name}' in this repository.`,
  );
  const ofUpstream = (source: RemoteRepository) => datedVersion(source, upstreamQuery(source, name, query));
  const wanted = { name, ofUpstream, gate: infoGate };
  const found = await findUpstream<string | VersionInfo>(call, sources, name, wanted, otherwise);
  const info = await passingInfo(found);
  if (!info) throw otherwise;
  return infoAnswer(call, found, info, `query/${query}`);
};

/** What a checksum database says, by way of the first upstream that passes it on. A module held locally is never looked up. */
export const checksumsAnswer = async (
  call: ModuleCall,
  sources: Sources,
  { database, path, name }: Extract<GoPath, { kind: 'checksums' }>,
): Promise<Answer> => {
  const otherwise = new ApiError(
    'FILE_NOT_FOUND',
    `No upstream of this repository answers '${path}' of the checksum database '${database}'.`,
  );
  const wanted = {
    name: checksumsName,
    ofUpstream: (source: RemoteRepository) => upstreamChecksums(source, database, path),
  };
  const found = await findUpstream(call, sources, name, wanted, otherwise);
  return answerLargeDocument(call, {
    ...found,
    fileName: 'checksums',
    revision: `${found.revision}/${database}/${path}`,
    mediaType: path.startsWith('tile/') ? fileMediaType : textType,
    render: async () => Buffer.from((await found.load())[0] ?? []),
  });
};
