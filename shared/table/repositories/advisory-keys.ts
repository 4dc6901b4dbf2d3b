import type { PackageType } from '../../package-types.ts';
import { type Key, keyIn, type ListKey } from '../keys.ts';
import type { AdvisoryPage } from './advisories.ts';
import type { AdvisoryFeed, AdvisoryImport, AdvisoryListPart, AdvisorySource } from './advisory-items.ts';

export const advisoryPagesList = (packageType: PackageType, name: string): ListKey<AdvisoryPage> => ({
  pk: `ADVISORIES#${packageType}#${name}`,
  prefix: 'PAGE#',
});
export const advisoryPageKey = (packageType: PackageType, name: string, page: number): Key<AdvisoryPage> =>
  keyIn(advisoryPagesList(packageType, name), String(page).padStart(3, '0'));

export const advisoryIdShards = 64;
export const advisoryIdsList = (packageType: PackageType, shard: number): ListKey<AdvisorySource> => ({
  pk: `ADVISORYIDS#${packageType}#${shard}`,
  prefix: '',
});
/** A partition takes a thousand writes in a second, and an import has hundreds of thousands. */
export const advisoryIdKey = (packageType: PackageType, id: string): Key<AdvisorySource> => {
  const sum = Array.from(id).reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 65_536, 0);
  return keyIn(advisoryIdsList(packageType, sum % advisoryIdShards), id);
};
export const advisoryFeedKey = (packageType: PackageType): Key<AdvisoryFeed> => ({
  pk: `ADVISORYFEED#${packageType}`,
  sk: 'ADVISORYFEED',
});
export const advisoryListKey = (packageType: PackageType, updatedAt: string, part: number): Key<AdvisoryListPart> => ({
  pk: `ADVISORYLIST#${packageType}`,
  sk: `${updatedAt}#${part}`,
});
export const advisoryImportKey = (importId: string): Key<AdvisoryImport> => ({
  pk: `ADVISORYIMPORT#${importId}`,
  sk: 'ADVISORYIMPORT',
});
