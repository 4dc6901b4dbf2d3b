import type { Contract } from '../shared/http/contract.ts';
import * as members from './members/contracts.ts';
import * as repositories from './repositories/contracts.ts';
import * as system from './system/contracts.ts';
import * as tokens from './tokens/contracts.ts';
import * as users from './users/contracts.ts';
import * as workspaces from './workspaces/contracts.ts';

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'access' in value;

/** The list of all endpoints: routes, Lambdas, documents and tests are made from it. */
export const endpoints: readonly Contract[] = [system, workspaces, repositories, members, tokens, users].flatMap(
  (resource) => Object.values<unknown>(resource).filter(isContract),
);
