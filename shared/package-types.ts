/** The kinds of packages that a repository can hold. */
export const packageTypes = [
  'cargo',
  'chocolatey',
  'composer',
  'conan',
  'debian',
  'docker',
  'gems',
  'go',
  'helm',
  'maven',
  'npm',
  'nuget',
  'pypi',
  'rpm',
  'universal',
] as const;
export type PackageType = (typeof packageTypes)[number];

/** A local repository stores packages, a remote one proxies an upstream, and a virtual one combines several repositories. */
export const repositoryTypes = ['local', 'remote', 'virtual'] as const;
export type RepositoryType = (typeof repositoryTypes)[number];
