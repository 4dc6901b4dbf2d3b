import type { BytesResult } from '../../shared/http/payloads.ts';
import { listNames } from '../../shared/packages/serve/search.ts';
import { isLocal, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Source, Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import { type RepositoryCall, repositoryUrl } from './addresses.ts';
import { vendorOf } from './names.ts';

/** The maximum number of vendors that are listed: with more, Composer asks for every name. */
const vendorsMax = 500;

/**
 * The names that a local repository has, as patterns of their vendors: Composer asks it for no others. Undefined if a query does not
 * return all names, or if there are none: Composer takes an empty list for none.
 */
const patternsOf = async (table: Table, source: Source): Promise<readonly string[] | undefined> => {
  if (!isLocal(source)) return undefined;
  const { names, isWhole } = await listNames(table, source, { isFound: () => true }, 1);
  const vendors = new Set(names.map(vendorOf));
  const isShown = isWhole && vendors.size > 0 && vendors.size <= vendorsMax;
  return isShown ? Array.from(vendors, (vendor) => `${vendor}/*`) : undefined;
};

/**
 * Answers with the packages.json of a repository. That of one with an upstream lists no names: the upstream may have any. It has an address
 * for advisories: without one, Composer takes packages of an upstream for safe.
 */
export const answerRoot = async (
  call: RepositoryCall & { readonly table: Table; readonly repository: Repository },
  { all }: Sources,
): Promise<BytesResult> => {
  const { repository, table } = call;
  const [source] = all;
  const patterns = source && repository.repositoryType !== 'virtual' ? await patternsOf(table, source) : undefined;
  const url = repositoryUrl(call);
  const content = JSON.stringify({
    packages: [],
    'metadata-url': `${url}/p2/%package%.json`,
    search: `${url}/search.json?q=%query%&type=%type%`,
    list: `${url}/list.json`,
    ...(all.some(isRemote) && {
      'security-advisories': { metadata: false, 'api-url': `${url}/security-advisories` },
    }),
    ...(patterns && { 'available-package-patterns': patterns }),
  });
  return { kind: 'bytes', mediaType: 'application/json', content };
};
