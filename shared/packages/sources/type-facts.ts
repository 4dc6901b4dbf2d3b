import { builtPackageTypes } from '../../config.ts';
import type { PackageType } from '../../package-types.ts';

/** How the upstreams of a package type are asked. */
export interface UpstreamFacts {
  /** What the clients of the type write before the URL of a registry, and nobody sends; empty if they write nothing. */
  readonly urlPrefix: string;
  /** How a password without a username is sent: with an empty username, or alone, as the whole Authorization header. */
  readonly lonePassword: 'as basic' | 'as header';
  /** Whether an upstream may answer 401 with the address of a token, which the credentials are then sent for. */
  readonly challenges: 'none' | 'for a token';
  /** The path below an upstream whose answer to the credentials is a token, as text, which all other requests bring. By default, there is none. */
  readonly login?: string;
}

/** What every function knows of a package type that is not as most: data only, so that the bundle of one type carries no other. */
export interface TypeFacts {
  /** What the addresses of all repositories of the type begin with. */
  readonly root: `/${string}/`;
  readonly upstream: UpstreamFacts;
}

/** What is not as for most types. */
export interface UnusualFacts extends Partial<TypeFacts> {
  /** Set if nothing holds back or blocks versions of its remote repositories. */
  readonly isUngated?: true;
  /** Set if there are no advisories on its packages. */
  readonly isUnadvised?: true;
  /** What stands behind a version in the names of those that are deleted with it. */
  readonly partMark?: string;
}

let known: Readonly<Record<string, UnusualFacts>> | undefined;

/** The facts as the build took them from the list of types; undefined for a type that is as most. */
const factsOf = (packageType: PackageType | undefined): UnusualFacts | undefined => {
  known ??= JSON.parse(builtPackageTypes()) as Readonly<Record<string, UnusualFacts>>;
  return packageType && known[packageType];
};

/** What the addresses of all repositories of a type begin with. */
export const addressRootOf = (packageType: PackageType): string => factsOf(packageType)?.root ?? `/${packageType}/`;

/** Whether versions of remote repositories of a type can be held back or blocked. */
export const isGated = (packageType: PackageType): boolean => !factsOf(packageType)?.isUngated;

/** Whether there can be advisories on the packages of remote repositories of a type. */
export const isAdvised = (packageType: PackageType): boolean =>
  isGated(packageType) && !factsOf(packageType)?.isUnadvised;

/** What stands behind a version in the names of those that are deleted with it; undefined if a version is deleted alone. */
export const partMarkOf = (packageType: PackageType): string | undefined => factsOf(packageType)?.partMark;

/** The URL of an upstream as requests use it, from the one that its remote repository has. */
export const plainUrl = (packageType: PackageType | undefined, url: string): string => {
  const prefix = factsOf(packageType)?.upstream?.urlPrefix ?? '';
  return url.startsWith(prefix) ? url.slice(prefix.length) : url;
};

/** Whether a password without a username is a token, which the clients of the type send as the whole Authorization header. */
export const sendsTokenAlone = (packageType: PackageType): boolean =>
  factsOf(packageType)?.upstream?.lonePassword === 'as header';

/** Whether the upstreams of the type may require a token, which the credentials are then sent for. */
export const mayRequireToken = (packageType: PackageType): boolean =>
  factsOf(packageType)?.upstream?.challenges === 'for a token';

/** The path below an upstream of the type where the credentials are exchanged for a token; undefined if they are sent themselves. */
export const loginPathOf = (packageType: PackageType): string | undefined => factsOf(packageType)?.upstream?.login;
