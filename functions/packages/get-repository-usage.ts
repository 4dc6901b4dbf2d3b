import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/package-address.ts';
import { sourcesOf } from '../../shared/packages/sources.ts';
import { contentIdOf } from '../../shared/table/repositories.ts';
import { readUsage, sumOf } from '../../shared/table/usage.ts';
import { getRepositoryUsage } from './contracts.ts';

export const handler = endpoint(
  getRepositoryUsage,
  async ({ repository, loaded, table }) => {
    const sources = sourcesOf(repository, loaded).all;
    return sumOf(await Promise.all(sources.map((source) => readUsage(table, contentIdOf(source)))));
  },
  { alsoRead: alsoReadSources },
);
