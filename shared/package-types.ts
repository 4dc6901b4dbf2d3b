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

/** The beginning of an address, where it is not the name of the type. */
const addressRoots: Readonly<Partial<Record<PackageType, string>>> = { docker: 'v2' };

/** What the addresses of all repositories of a type begin with. */
export const addressRootOf = (packageType: PackageType): string => `/${addressRoots[packageType] ?? packageType}/`;

/** What the clients of a package type write before the URL of a registry. Nobody sends it. */
const urlPrefixes: Readonly<Partial<Record<PackageType, string>>> = { cargo: 'sparse+' };

/** The URL of an upstream as requests use it, from the one that its remote repository has. */
export const plainUrl = (packageType: PackageType | undefined, url: string): string => {
  const prefix = (packageType && urlPrefixes[packageType]) ?? '';
  return url.startsWith(prefix) ? url.slice(prefix.length) : url;
};

/** Whether a password without a username is a token, which the clients of the type send as the whole Authorization header. */
export const sendsTokenAlone = (packageType: PackageType): boolean => packageType === 'cargo';

/** Whether the upstreams of the type may require a token, which the credentials are then sent for. */
export const mayDemandToken = (packageType: PackageType): boolean => packageType === 'docker';
