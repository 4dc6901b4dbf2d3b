import type { Contract } from '../../shared/http/contract.ts';

/**
 * What a request costs beside the read that decides access: its calls of the table in all, and at most so many capacity units. A
 * consistent read is a unit for each item or query; a write in a transaction two for each item, an update alone one; the record
 * of a change three, because it is in an index, too.
 */
interface Cost {
  readonly calls: number;
  readonly reads: number;
  readonly writes: number;
}

/** The classes of endpoints. What is in a class costs the same, so a new endpoint has a bound before it is measured. */
export const costs = {
  /** No user, no item. */
  nothing: { calls: 0, reads: 0, writes: 0 },
  /** What decides access says it all. */
  access: { calls: 1, reads: 0, writes: 0 },
  /** One item more, in the same read. */
  item: { calls: 1, reads: 1, writes: 0 },
  /** A file and its version, or two items that only together say something. */
  file: { calls: 1, reads: 2, writes: 0 },
  /** An item with the two numbers that are kept in eight shards each. */
  'counted item': { calls: 1, reads: 16, writes: 0 },
  /** A second read, whose key the first one tells. */
  document: { calls: 2, reads: 1, writes: 0 },
  /** The same, with another item in the first read. */
  'document of two': { calls: 2, reads: 2, writes: 0 },
  /** A query for a page of one, which reads one entry more, and what the entries lead to. */
  page: { calls: 3, reads: 3, writes: 0 },
  /** A page of what the caller has a part in: of each entry another item. */
  'own page': { calls: 3, reads: 5, writes: 0 },
  /** A page of who may do something in a repository: the eight shards of grants of each entry. */
  'page of grants': { calls: 3, reads: 13, writes: 0 },
  /** A page of versions or packages, each with its own items. */
  'page of packages': { calls: 4, reads: 3, writes: 0 },
  /** A page of all months, newest first. */
  'page of months': { calls: 5, reads: 2, writes: 0 },
  /** The begin of an upload, which no record tells. */
  'begun upload': { calls: 2, reads: 0, writes: 4 },
  /** A piece of an upload, or its end. */
  'piece of an upload': { calls: 3, reads: 1, writes: 4 },
  /** The same, with the item of a session and a look at all open uploads of the workspace. */
  'end of a session': { calls: 3, reads: 2, writes: 4 },
  /** One or two items of an entity, and the record. */
  change: { calls: 2, reads: 4, writes: 7 },
  /** A token goes, and its user has another access version. */
  'end of a token': { calls: 2, reads: 1, writes: 9 },
  /** An entity with its names and secrets. */
  creation: { calls: 2, reads: 1, writes: 14 },
  /** A sign-in: the user and the wrong passwords from there; the session, its token, its place in the list, and the record. */
  'sign-in': { calls: 2, reads: 3, writes: 9 },
  /** What a cookie leads to: the session, then its user. */
  'change by a cookie': { calls: 3, reads: 2, writes: 7 },
  /** An item with its sharded numbers. */
  'counted change': { calls: 2, reads: 16, writes: 5 },
  /** An entity with all that guards its numbers in shards. */
  'sharded creation': { calls: 2, reads: 1, writes: 25 },
  /** A user leaves a workspace and has another access version: each shard of the grants goes, too. */
  'end of a membership': { calls: 2, reads: 1, writes: 43 },
  /** A repository, or all that is in one: the sweeper does the rest. */
  emptying: { calls: 3, reads: 1, writes: 13 },
  /** One version with its file, its blob, its usage and its part of an index. */
  publication: { calls: 3, reads: 6, writes: 28 },
  /** A version in the index of its package and in that of its repository. */
  'publication in two indexes': { calls: 3, reads: 7, writes: 29 },
  /** A change of a version that is there, or of one that needs others. */
  'change of a version': { calls: 4, reads: 6, writes: 23 },
  /** A version goes, and its blob, its usage and its part of an index with it. */
  'deletion of versions': { calls: 5, reads: 4, writes: 25 },
  /** A version goes from the index of its package and from that of its repository. */
  'deletion from two indexes': { calls: 5, reads: 3, writes: 33 },
} as const satisfies Readonly<Record<string, Cost>>;

export type CostClass = keyof typeof costs;

/**
 * The units of the read that decides access: caller and credential, workspace and membership, repository. Who reads in one needs no
 * workspace, and a process that has seen the version of the caller remembers the credential and the membership.
 */
export const accessReads = ({ access, path, method }: Pick<Contract, 'access' | 'path' | 'method'>): number => {
  if (access === 'public') return 0;
  if (path.includes('{repository}')) return method === 'GET' ? 2 : 5;
  return path.includes('{workspace}') ? 4 : 2;
};
