import { invalid } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { queryAll } from '../../shared/table/query-pages.ts';
import { advisoryFeedKey, advisoryPagesList } from '../../shared/table/repositories/advisory-keys.ts';
import { advisoriesOn } from '../../shared/table/repositories/advisory-pages.ts';
import { getPackageAdvisories } from './contracts.ts';
import { advisoryRecord } from './record.ts';
import { advisedTypes } from './types.ts';

const typeIn = (packageType: string) => advisedTypes.find(({ name }) => name === packageType);

export const handler = endpoint(
  getPackageAdvisories,
  async ({ params, table, loaded }) => {
    const type = typeIn(params.packageType);
    if (!type) {
      const message = `There are no advisories on packages of the type '${params.packageType}': the path must have one of ${advisedTypes.map(({ name }) => name).join(', ')}.`;
      throw invalid([{ pointer: '', rule: 'packageType', message }]);
    }
    const name = type.spelling.normalize(params.package);
    const pages = type.spelling.isName(name) ? await queryAll(table, advisoryPagesList(type.name, name)) : [];
    return {
      packageType: type.name,
      package: name,
      importedAt: loaded.find(advisoryFeedKey(type.name))?.importedAt ?? null,
      advisories: advisoriesOn(pages.map(({ item }) => item)).map(advisoryRecord),
    };
  },
  {
    alsoRead: ({ params }) => {
      const type = typeIn(params.packageType);
      return type ? [advisoryFeedKey(type.name)] : [];
    },
  },
);
