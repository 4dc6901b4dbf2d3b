import type { Contract } from '../../shared/http/contract.ts';
import type { InvokedFunction, StoreRight, TableAction } from '../../shared/http/function-rights.ts';
import type { Settings } from '../settings.ts';

/** What the code of a function needs of the data. */
export interface Rights {
  readonly table: readonly TableAction[];
  readonly store: readonly StoreRight[];
  readonly encrypts: boolean;
  readonly decrypts: boolean;
  /** Left out where nothing is signed. */
  readonly signs?: true | undefined;
  readonly invokes: readonly InvokedFunction[];
}

const union = <T>(one: readonly T[], other: readonly T[]): T[] => [...new Set([...one, ...other])];

/** The rights that the contract of an endpoint declares. The pipeline of every endpoint that is not public reads the caller. */
export const rightsOf = ({ access, table, store = [], encrypts, decrypts, signs, invokes = [] }: Contract): Rights => ({
  table: access === 'public' ? table : union(table, ['BatchGetItem']),
  store,
  encrypts: encrypts === true,
  decrypts: decrypts === true,
  ...(signs && { signs }),
  invokes,
});

/**
 * What an endpoint needs for a body that the door has received: to note that its reference was used, to read it and to copy it. A
 * function that passes the files in it on stages them again.
 */
const receiving = { table: ['PutItem'], store: ['GetObject staging/*', 'AbortMultipartUpload blobs/*'] } as const;
const passingOn = ['PutObject staging/*', 'AbortMultipartUpload staging/*'] as const;

/** Whether an endpoint takes bodies that the door receives. */
export const receives = ({ request }: Contract, { uploads }: Pick<Settings, 'uploads'>): boolean =>
  request !== undefined && 'stagedBytesMax' in request && uploads !== 'gateway';

const passesOn = ({ request }: Contract): boolean => request?.kind !== 'bytes' || request.isPassedOn === true;

/** The rights of an endpoint in a stage: those that its contract declares, and those for bodies from the door. */
export const rightsIn = (endpoint: Contract, settings: Pick<Settings, 'uploads'>): Rights => {
  const rights = rightsOf(endpoint);
  if (!receives(endpoint, settings)) return rights;
  return {
    ...rights,
    table: union(rights.table, receiving.table),
    store: union(rights.store, [...receiving.store, ...(passesOn(endpoint) ? passingOn : [])]),
  };
};

/** What the authorizer needs. */
export const authorizerRights: Rights = {
  table: ['BatchGetItem', 'UpdateItem'],
  store: [],
  encrypts: false,
  decrypts: false,
  invokes: [],
};

/** What either of two versions of a function needs. */
export const joinedRights = (one: Rights, other: Rights): Rights => ({
  table: union(one.table, other.table),
  store: union(one.store, other.store),
  encrypts: one.encrypts || other.encrypts,
  decrypts: one.decrypts || other.decrypts,
  signs: one.signs ?? other.signs,
  invokes: union(one.invokes, other.invokes),
});
