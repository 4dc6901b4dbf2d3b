import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from './client.ts';
import type { Service } from './service.ts';
import type { Named } from './world.ts';

/** A version of a package in a repository, and who asks. */
export interface VersionAddress {
  readonly workspace: Named;
  readonly repository: Pick<Named, 'id'>;
  readonly name: string;
  readonly version: string;
  /** Of a type whose versions take files one by one, another file than the first. */
  readonly file?: string;
  readonly as: string;
}

/** What the clients of a package type do, the same for each of them. */
export interface PackageFormat {
  readonly packageType:
    | 'cargo'
    | 'chocolatey'
    | 'composer'
    | 'conan'
    | 'debian'
    | 'gems'
    | 'go'
    | 'helm'
    | 'maven'
    | 'npm'
    | 'nuget'
    | 'pypi'
    | 'rpm'
    | 'universal';
  /** The name of a package of this type, made from a unique word. By default, it is the word itself. */
  readonly nameOf?: (word: string) => string;
  /** A version as this type spells it. By default, it is the version itself, such as 1.0.0. */
  readonly versionOf?: (version: string) => string;
  /** The number of files that a publication stores, each as a blob. By default, it is one. */
  readonly fileCount?: number;
  /** Set if each of these files comes by a request of its own: a virtual repository looks for whole versions in the indexes of its children. */
  readonly sendsFilesAlone?: true;
  /** Set if whoever manages a repository may publish other bytes under a name that is there. */
  readonly managersReplace?: true;
  /** Set if the index is of the whole repository, and not of each package. */
  readonly hasRepositoryIndex?: true;
  /** Set if the repository has an index beside those of its packages. */
  readonly hasBothIndexes?: true;
  readonly publishing: Contract;
  readonly downloading: Contract;
  /** Publishes a version with one file that has this content. It returns 201 where the type answers a success by another status. */
  readonly publish: (service: Service, address: VersionAddress, content: string) => Promise<Answer>;
  /** Downloads that file; what is redirected is followed. */
  readonly download: (service: Service, address: VersionAddress) => Promise<Answer>;
  /** The versions that a client of the type is shown; undefined when there is no such package. */
  readonly versions: (service: Service, address: Omit<VersionAddress, 'version'>) => Promise<string[] | undefined>;
}

/** The parameters of a path in a repository. */
export const paramsOf = (
  { workspace, repository }: Pick<VersionAddress, 'workspace' | 'repository'>,
  path: string,
) => ({
  workspace: workspace.id,
  repository: repository.id,
  path,
});
