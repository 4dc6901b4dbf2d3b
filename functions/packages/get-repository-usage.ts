import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { sourcesOf } from '../../shared/packages/sources/sources.ts';
import { readUsageAndEntries } from '../../shared/table/packages/usage.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { getRepositoryUsage } from './contracts.ts';
import { usageRecord } from './records.ts';

export const handler = endpoint(
  getRepositoryUsage,
  async ({ repository, loaded, table }) => {
    const sources = sourcesOf(repository, loaded).all;
    return usageRecord(await Promise.all(sources.map((source) => readUsageAndEntries(table, contentIdOf(source)))));
  },
  { alsoRead: alsoReadSources },
);
