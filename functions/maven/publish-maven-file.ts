import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import type { ResultOf } from '../../shared/http/contract.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { rememberedFile, rememberedIdOf } from '../../shared/packages/changes/file-idempotency.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { fileKey } from '../../shared/table/packages/package-keys.ts';
import { isLive } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { compareChecksum } from './checksums.ts';
import { publishMavenFile } from './contracts.ts';
import { versionWith } from './index-entries.ts';
import { type Checksum, metadataFile, parsePath } from './paths.ts';
import { pluginPrefixes } from './plugin-prefixes.ts';
import { pluginListings } from './plugins.ts';
import { requireTimestamp } from './snapshot-times.ts';
import { maven } from './type.ts';

type PublishCall = Call<typeof publishMavenFile>;

interface Answer {
  readonly status: 200 | 201;
  readonly result: ResultOf<typeof publishMavenFile>;
}

const invalidPath = (): ApiError =>
  new ApiError(
    'PACKAGE_INVALID',
    "The path must be that of a file in a Maven repository, such as org/acme/app/1.0/app-1.0.jar: the group, the artifact, the version and the file. The group consists of letters, digits, '_' and '-', the artifact also of '.'.",
  );

const publishFile = async (call: PublishCall, repository: LocalRepository, address: FileAddress): Promise<void> => {
  const { body, table, remember } = call;
  const { name, file } = address;
  requireTimestamp(address);
  const received = await receiveBody(body, table.signal);
  const prefixes = await pluginPrefixes(address, received);
  await publishTo(call, maven, repository, {
    displayName: name,
    ...versionWith({ ...address, files: [file] }),
    files: [{ name: file, mediaType: fileMediaType, received }],
    alsoListed: pluginListings(name, prefixes),
    remembered: remember(rememberedIdOf(repository, address)),
  });
};

const compare = async (
  { body, table }: PublishCall,
  repository: LocalRepository,
  address: FileAddress,
  checksum: Checksum,
): Promise<void> => {
  const { name, version, file } = address;
  const key = fileKey({ contentId: contentIdOf(repository), name }, version, file);
  const stored = (await table.read([key])).find(key);
  await compareChecksum(body, address, isLive(stored) ? stored : undefined, checksum);
};

/** The target of a request, and what its path names. */
const destinationOf = (call: PublishCall) => {
  const target = publishTarget(call, maven);
  const path = parsePath(call.params.path);
  if (!path) throw invalidPath();
  return { path, target };
};

const published = ({ name, file }: FileAddress): Answer => ({
  status: 201,
  result: { package: name, file, status: 'published' },
});

export const handler = endpoint(
  publishMavenFile,
  async (call): Promise<Answer> => {
    const { path, target } = destinationOf(call);
    const { checksum } = path;
    if (path.kind !== 'file')
      return { status: 200, result: { package: path.name ?? null, file: metadataFile, status: 'ignored' } };
    const { name, file } = path;
    if (checksum !== undefined) {
      await compare(call, target, path, checksum);
      return { status: 200, result: { package: name, file, status: 'compared' } };
    }
    await publishFile(call, target, path);
    return published(path);
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async (call, id) => {
      const { path, target } = destinationOf(call);
      if (path.kind !== 'file') return undefined;
      return (await rememberedFile(call.table, target, path, id)) && published(path);
    },
  },
);
