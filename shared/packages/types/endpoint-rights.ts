import type { Contract } from '../../http/contract.ts';

type Rights = Pick<Contract, 'table' | 'store' | 'decrypts' | 'invokes' | 'servesFiles'>;

const changes = ['PutItem', 'UpdateItem', 'ConditionCheckItem'] as const;

/** A document is kept when it was fetched, and redirected to when it is large. */
const documents = ['GetObject blobs/*', 'PutObject blobs/*', 'GetObject staging/*', 'PutObject staging/*'] as const;

/** A file may be received in parts, which a failure gives up. */
const files = [...documents, 'AbortMultipartUpload staging/*', 'AbortMultipartUpload blobs/*'] as const;

/**
 * The rights of an endpoint that reads: what upstreams have is fetched, cached, staged and handed over to the worker. Documents
 * are made from indexes, which are queried.
 */
export const reads = (...what: readonly ('files' | 'documents')[]) =>
  ({
    table: what.includes('documents') ? ['Query', ...changes] : [...changes],
    store: what.includes('files') ? files : documents,
    decrypts: true,
    invokes: ['fetcher'],
    ...(what.includes('files') && { servesFiles: true }),
  }) as const satisfies Rights;

/** The rights of an endpoint that searches: upstreams are asked, and nothing of their answers is kept. */
export const searches = () =>
  ({
    table: ['Query', 'UpdateItem'],
    store: ['GetObject blobs/*'],
    decrypts: true,
  }) as const satisfies Rights;

/** The rights of an endpoint that publishes. A change of an index of its own may compact it, which deletes what it replaces. */
export const publishes = (to: 'no index' | 'an index' = 'no index') =>
  ({
    table: to === 'an index' ? ['Query', 'DeleteItem', ...changes] : ['Query', ...changes],
    store: ['PutObject blobs/*', 'GetObject blobs/*'],
  }) as const satisfies Rights;
