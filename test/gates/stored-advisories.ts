import type { PackageType } from '../../shared/package-types.ts';
import { Table } from '../../shared/table/client.ts';
import type { Advisory } from '../../shared/table/repositories/advisories.ts';
import { advisoryWrites } from '../../shared/table/repositories/advisory-pages.ts';

/** An advisory on malware in all versions, but for these fields. */
export const advisory = (fields: Partial<Advisory> = {}): Advisory => ({
  id: 'MAL-2026-1',
  kind: 'malware',
  severity: null,
  summary: 'Malicious code',
  modified: '2026-01-01T00:00:00Z',
  versions: [],
  ranges: Object.hasOwn(fields, 'versions') ? [] : [[['introduced', '0']]],
  ...fields,
});

/** Stores what is known about a name, as an import does. */
export const storeAdvisories = async (
  packageType: PackageType,
  name: string,
  advisories: readonly Advisory[],
  pagesBefore = 1,
): Promise<void> => {
  expect(await new Table().writeUnrecorded(advisoryWrites(packageType, name, advisories, pagesBefore))).toBeUndefined();
};
