import { setImmediate } from 'node:timers/promises';
import type { Table } from '../../table/client.ts';
import { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import { cachedDocumentKey } from '../../table/packages/package-keys.ts';
import { contentIdOf } from '../../table/repositories/repositories.ts';
import { type FetchRequest, type LoadKept, NotKept } from '../upstream/upstream-request.ts';
import { readDocument } from './document-cache.ts';

/** Reads items of the table, each once. Those that are wanted at the same time are read in one call for every 100. */
const readsTogether = (table: Table): (<T>(key: Key<T>) => Promise<T | undefined>) => {
  const read = new IdentityMap();
  let wanted: Key[] = [];
  let next: Promise<unknown> | undefined;
  const readWanted = async (): Promise<void> => {
    await setImmediate();
    const keys = wanted;
    wanted = [];
    next = undefined;
    await table.read(keys, read);
  };
  return async (key) => {
    wanted.push(key);
    next ??= readWanted();
    await next;
    return read.find(key);
  };
};

const keptIn = (table: Table): LoadKept => {
  const find = readsTogether(table);
  return async (source, { name, document, parse }) => {
    const key = cachedDocumentKey({ contentId: contentIdOf(source), name }, document);
    const found = source.isRemoteCacheEnabled ? await find(key) : undefined;
    if (!found) throw new NotKept();
    const { blob, bytes = 0, releases: times } = found;
    if (!blob) return undefined;
    const read = async () => {
      const content = await readDocument({ table, key }, blob, parse);
      if (content === undefined) throw new NotKept();
      return content;
    };
    return { cache: 'hit', bytes, revision: blob.sha256, times, read };
  };
};

/** A request that reads what is kept of upstreams, and asks none of them. */
export const keptRequest = (table: Table): FetchRequest => ({
  table,
  deadline: table.signal,
  isWaiting: false,
  startedAt: Date.now(),
  loadKept: keptIn(table),
});
