import { config } from '../../config.ts';
import { ConnectionPool } from '../../upstream/connection-pool.ts';

let pool: ConnectionPool | undefined;

/** The pool of this process. In Lambda, it outlives the request of a warm environment. */
export const processPool = (): ConnectionPool => {
  pool ??= new ConnectionPool({ allowedPrivate: config.allowedPrivateUpstreams });
  return pool;
};
