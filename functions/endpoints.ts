import type { Access } from '../shared/access.ts';
import type { Contract } from '../shared/http/contract.ts';
import * as advisories from './advisories/contracts.ts';
import * as audit from './audit/contracts.ts';
import * as consolePages from './console/contracts.ts';
import * as members from './members/contracts.ts';
import * as packageTypes from './package-types.ts';
import * as packages from './packages/contracts.ts';
import * as repositories from './repositories/contracts.ts';
import * as sessions from './sessions/contracts.ts';
import * as system from './system/contracts.ts';
import * as tokens from './tokens/contracts.ts';
import * as trusts from './trusts/contracts.ts';
import * as users from './users/contracts.ts';
import * as verdicts from './verdicts/contracts.ts';
import * as workspaces from './workspaces/contracts.ts';

const resources = [
  system,
  consolePages,
  workspaces,
  repositories,
  packages,
  members,
  sessions,
  tokens,
  trusts,
  verdicts,
  users,
  advisories,
  audit,
] as const;

/** A contract that does not compile has any text for its ID: it is left out, or it would hide the others. */
type IdOf<Value> = Value extends { readonly id: infer Id; readonly access: Access }
  ? string extends Id
    ? never
    : Id
  : never;
type IdsOf<Resource> = Resource extends unknown ? IdOf<Resource[keyof Resource]> : never;

/** The contracts of the package types, each as the list of types has them. */
type OfTypes = (typeof packageTypes)[keyof typeof packageTypes]['contracts'];

/** The IDs of all endpoints. If a record with these keys lacks one, the compiler names it. */
export type EndpointId = IdsOf<(typeof resources)[number] | OfTypes>;

/** A contract of the list. */
export interface Endpoint extends Contract {
  readonly id: EndpointId;
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'access' in value;

/** The list of all endpoints: routes, Lambdas, documents and tests are made from it. */
export const endpoints: readonly Endpoint[] = [
  ...resources,
  ...Object.values(packageTypes).map(({ contracts }) => contracts),
].flatMap((resource) => Object.values<unknown>(resource).filter(isEndpoint));

/** The folders whose endpoints read packages: what all types share, and each type. */
const foldersOfPackages: ReadonlySet<string> = new Set(['packages', ...Object.keys(packageTypes)]);

/** Whether an endpoint reads packages for whoever may view the repository: the front for reads answers it. */
export const isPackageRead = ({ id, method, access }: Contract): boolean =>
  method === 'GET' && access === 'repository-viewer' && foldersOfPackages.has(id.split('/')[0] ?? '');
