import type { AddressedType } from '../sources/addressed-type.ts';
import { folders } from './paths.ts';

/** The parts of a request that the addresses in its answer need. */
export interface AddressedRequest {
  readonly baseUrl: string;
  readonly params: { readonly workspace: string; readonly repository: string };
}

/** The absolute addresses below a repository, as documents have them. */
export interface PackageUrls {
  /** The address of a path. */
  readonly of: (path: string) => string;
  readonly registration: (name: string) => string;
  readonly page: (name: string, lower: string, upper: string) => string;
  readonly leaf: (name: string, version: string) => string;
  readonly file: (name: string, version: string) => string;
}

/** The addresses of a repository of a type, as a request names it. */
export const urlsOf = ({ root }: Pick<AddressedType, 'root'>, { baseUrl, params }: AddressedRequest): PackageUrls => {
  const base = `${baseUrl}${root}${[params.workspace, params.repository].map(encodeURIComponent).join('/')}`;
  const of = (path: string): string => `${base}/${path}`;
  const { files, registrations } = folders;
  return {
    of,
    registration: (name) => of(`${registrations}/${name}/index.json`),
    page: (name, lower, upper) => of(`${registrations}/${name}/page/${lower}/${upper}.json`),
    leaf: (name, version) => of(`${registrations}/${name}/${version}.json`),
    file: (name, version) => of(`${files}/${name}/${version}/${name}.${version}.nupkg`),
  };
};
