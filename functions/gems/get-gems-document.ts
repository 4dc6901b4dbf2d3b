import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { currentGeneration } from '../../shared/packages/generations/generations.ts';
import { answerHashed, renderedOnce } from '../../shared/packages/generations/hashed-documents.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import type { DocumentCall } from '../../shared/packages/serve/document-answers.ts';
import { fileEndpoint, fileIn } from '../../shared/packages/serve/file-endpoint.ts';
import { findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { type FoundRepositoryIndex, findRepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import type { IndexAddress } from '../../shared/packages/sources/package-address.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import { getGemsDocument } from './contracts.ts';
import { infoGate, listGate } from './gate.ts';
import { type InfoLine, readInfoLine, renderInfo } from './info-lines.ts';
import { packageNameOf } from './names.ts';
import { parsePath, type SpecsList } from './paths.ts';
import { renderSpecs } from './specs.ts';
import { gems } from './type.ts';
import { fileLocationKeys, infoName, locateFile, releaseOf, upstreamInfo } from './upstream-documents.ts';
import { upstreamVersions, versionsName } from './upstream-versions.ts';
import { order } from './versions.ts';
import { grownVersions, type ListedGem, listedGems } from './versions-list.ts';

type GemsCall = DocumentCall & IndexCall & { readonly repository: Repository };

const text = 'text/plain; charset=utf-8';

/** The lines of a local repository, if the gem is spelled so there. */
const localLines =
  (gem: string) =>
  ({ entries }: LoadedIndex): readonly InfoLine[] =>
    Array.from(entries.values()).flatMap(({ parts: [name, line = ''] }) =>
      name === gem ? (readInfoLine(line) ?? []) : [],
    );

/** Answers with the versions of a gem. */
const answerInfo = async (call: GemsCall, sources: Sources, gem: string) => {
  const found = await findIndexes({ table: call.table, loaded: call.loaded }, sources, {
    name: packageNameOf(gem),
    ofLocal: localLines(gem),
    ofUpstream: (source) => upstreamInfo(source, gem),
    gate: infoGate,
  });
  const content = await renderedOnce(`info/${gem} ${found.revision}`, async () => {
    const lines = await found.load();
    if (lines.flat().length === 0)
      throw new ApiError('PACKAGE_NOT_FOUND', `There is no gem '${gem}' in this repository.`);
    return Buffer.from(renderInfo(lines));
  });
  return answerHashed(call, { headers: found.headers, fileName: gem, mediaType: text, content });
};

/** The index over all gems. A remote repository has none if its upstream has no compact index. */
const findAll = async (call: GemsCall, sources: Sources): Promise<FoundRepositoryIndex> => {
  const { table, loaded } = call;
  const found = await findRepositoryIndex({ table, loaded }, sources, upstreamVersions, listGate);
  if (found) return found;
  throw new ApiError(
    'FILE_NOT_FOUND',
    'The upstream has no compact index at versions: check the URL of the remote repository.',
  );
};

/** Answers with a document about all gems that is made from one revision. */
const answerList = async (
  call: GemsCall,
  { headers, revision, load }: FoundRepositoryIndex,
  fileName: string,
  render: (listed: readonly ListedGem[]) => Buffer | Promise<Buffer>,
) => {
  const content = await renderedOnce(`${fileName} ${revision}`, async () => render(listedGems(await load())));
  const mediaType = fileName.endsWith('.gz') ? 'application/octet-stream' : text;
  return answerHashed(call, { headers, fileName, mediaType, content });
};

const renderNames = (listed: readonly ListedGem[]): Buffer =>
  Buffer.from(`---\n${listed.map(({ name }) => `${name}\n`).join('')}`);

/** Answers with the log of all versions, which grows with each revision. */
const answerVersions = async (call: GemsCall, { headers, revision, load }: FoundRepositoryIndex) => {
  const content = await currentGeneration(call, {
    document: 'versions',
    revision,
    make: async (before) => Buffer.from(grownVersions(before?.toString(), listedGems(await load()))),
  });
  return answerHashed(call, { headers, fileName: 'versions', mediaType: text, content });
};

const answerSpecs = async (call: GemsCall, sources: Sources, which: SpecsList) =>
  answerList(call, await findAll(call, sources), `${which}.4.8.gz`, (listed) => renderSpecs(listed, which));

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  if (parsed.kind === 'info') return { name: packageNameOf(parsed.gem), documents: [infoName(parsed.gem)] };
  return ['versions', 'names', 'specs'].includes(parsed.kind) ? { documents: [versionsName] } : undefined;
};

const files = fileEndpoint(gems, {
  indexIn,
  addressIn: fileIn(parsePath),
  locate: locateFile,
  locationKeys: fileLocationKeys,
  releaseOf,
});

/** The refusal of a path that is none here, with a sentence for who runs `gem owner`. */
const unknownPath = (path: string): ApiError =>
  new ApiError(
    'FILE_NOT_FOUND',
    path.endsWith('/owners.yaml')
      ? 'Gems have no owners here: the permission levels on the repository decide who may publish.'
      : undefined,
  );

export const handler = endpoint(
  getGemsDocument,
  async (call) => {
    const sources = addressedSources(call, { ...gems, order });
    const path = parsePath(call.params.path);
    if (path.kind === 'info') return answerInfo(call, sources, path.gem);
    if (path.kind === 'specs') return answerSpecs(call, sources, path.list);
    if (path.kind === 'versions') return answerVersions(call, await findAll(call, sources));
    if (path.kind === 'names') return answerList(call, await findAll(call, sources), 'names', renderNames);
    if (path.kind === 'file') return files.serve({ ...call, query: {} }, sources, path);
    throw unknownPath(call.params.path);
  },
  { alsoRead: files.alsoRead },
);
