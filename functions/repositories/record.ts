import type { Infer } from '../../shared/http/schema.ts';
import type {
  LocalRepository,
  RemoteRepository,
  Repository,
  VirtualRepository,
} from '../../shared/table/repositories.ts';
import type {
  localRepositorySchema,
  remoteRepositorySchema,
  repositorySchema,
  virtualRepositorySchema,
} from './schemas.ts';

const common = ({ repositoryId, name, packageType, workspaceId, createdAt, createdBy }: Repository) =>
  ({ id: repositoryId, name, packageType, status: 'active', workspaceId, createdAt, createdBy }) as const;

/** A local repository as it is told. */
export const localRepositoryRecord = (repository: LocalRepository): Infer<typeof localRepositorySchema> => ({
  ...common(repository),
  repositoryType: 'local',
});

/** A remote repository as it is told: that it has a password, never the password. */
export const remoteRepositoryRecord = (repository: RemoteRepository): Infer<typeof remoteRepositorySchema> => ({
  ...common(repository),
  repositoryType: 'remote',
  remoteRepositoryUrl: repository.remoteRepositoryUrl,
  remoteRepositoryUsername: repository.remoteRepositoryUsername,
  hasRemoteRepositoryPassword: repository.passwordCiphertext !== null,
  isRemoteCacheEnabled: repository.isRemoteCacheEnabled,
  fileCacheTimeTillRevalidation: repository.fileCacheTimeTillRevalidation,
  metadataCacheTimeTillRevalidation: repository.metadataCacheTimeTillRevalidation,
});

/** A virtual repository as it is told. */
export const virtualRepositoryRecord = (repository: VirtualRepository): Infer<typeof virtualRepositorySchema> => {
  const { children, uploadLocalRepositoryId } = repository;
  return {
    ...common(repository),
    repositoryType: 'virtual',
    childRepositoryIds: children.map((child) => child.id),
    childRepositories: children.map(({ id, name }) => ({ id, name })),
    uploadLocalRepositoryId,
    uploadTargetLocalRepository: children.find((child) => child.id === uploadLocalRepositoryId) ?? null,
  };
};

/** A repository of any type as it is told. */
export const repositoryRecord = (repository: Repository): Infer<typeof repositorySchema> => {
  if (repository.repositoryType === 'local') return localRepositoryRecord(repository);
  return repository.repositoryType === 'remote'
    ? remoteRepositoryRecord(repository)
    : virtualRepositoryRecord(repository);
};
