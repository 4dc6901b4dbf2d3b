import type { Infer } from '../../shared/http/schema.ts';
import { plainUrl } from '../../shared/packages/sources/type-facts.ts';
import type {
  LocalRepository,
  RemoteRepository,
  Repository,
  VirtualRepository,
} from '../../shared/table/repositories/repositories.ts';
import {
  type localRepositorySchema,
  type remoteRepositorySchema,
  type repositorySchema,
  unencryptedUpstream,
  type virtualRepositorySchema,
} from './schemas.ts';

const common = ({ repositoryId, name, packageType, workspaceId, createdAt, createdBy }: Repository) =>
  ({ id: repositoryId, name, packageType, status: 'active', workspaceId, createdAt, createdBy }) as const;

/** The wire record of a local repository. */
export const localRepositoryRecord = (repository: LocalRepository): Infer<typeof localRepositorySchema> => ({
  ...common(repository),
  repositoryType: 'local',
});

const isUnencrypted = ({ packageType, remoteRepositoryUrl }: RemoteRepository): boolean =>
  /^http:/i.test(plainUrl(packageType, remoteRepositoryUrl));

/** The wire record of a remote repository. It says whether there is a password, and never contains the password. */
export const remoteRepositoryRecord = (repository: RemoteRepository): Infer<typeof remoteRepositorySchema> => ({
  ...common(repository),
  repositoryType: 'remote',
  remoteRepositoryUrl: repository.remoteRepositoryUrl,
  remoteRepositoryUsername: repository.remoteRepositoryUsername,
  ...(repository.releaseGate && {
    releaseGate: {
      ...repository.releaseGate,
      blockSeverity: repository.releaseGate.blockSeverity ?? null,
      exempt: [...repository.releaseGate.exempt],
    },
  }),
  hasRemoteRepositoryPassword: repository.passwordCiphertext !== null,
  isRemoteCacheEnabled: repository.isRemoteCacheEnabled,
  fileCacheTimeTillRevalidation: repository.fileCacheTimeTillRevalidation,
  metadataCacheTimeTillRevalidation: repository.metadataCacheTimeTillRevalidation,
  ...(isUnencrypted(repository) && { warnings: [unencryptedUpstream] }),
});

/** The wire record of a virtual repository. */
export const virtualRepositoryRecord = (repository: VirtualRepository): Infer<typeof virtualRepositorySchema> => {
  const { children, uploadLocalRepositoryId, upstreamNames } = repository;
  const hasRules = upstreamNames && upstreamNames.allow.length + upstreamNames.block.length > 0;
  return {
    ...common(repository),
    repositoryType: 'virtual',
    childRepositoryIds: children.map((child) => child.id),
    childRepositories: children.map(({ id, name }) => ({ id, name })),
    uploadLocalRepositoryId,
    uploadTargetLocalRepository: children.find((child) => child.id === uploadLocalRepositoryId) ?? null,
    // Clients that know nothing of rules get the record as it was before there were any.
    ...(hasRules && { upstreamNames: { allow: [...upstreamNames.allow], block: [...upstreamNames.block] } }),
  };
};

/** The wire record of a repository of any type. */
export const repositoryRecord = (repository: Repository): Infer<typeof repositorySchema> => {
  if (repository.repositoryType === 'local') return localRepositoryRecord(repository);
  return repository.repositoryType === 'remote'
    ? remoteRepositoryRecord(repository)
    : virtualRepositoryRecord(repository);
};
