import { endpoint } from '../../shared/http/endpoint.ts';
import { listTagItems } from '../../shared/packages/changes/tag-items.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getPackage } from './contracts.ts';
import { findPackage } from './holders.ts';
import { listHeldVersions } from './kept-gates.ts';
import { packageRecord } from './records.ts';

/** The maximum number of tags of a record that are items of their own. */
const tagItemsMax = 1_000;

export const handler = endpoint(
  getPackage,
  async (call) => {
    const found = await findPackage(call);
    const { name, holders } = found;
    const refs = holders
      .filter(({ head, source }) => head.hasTagItems && readable(source, { kind: 'tags', name }, true))
      .map(({ ref }) => ref);
    const [tagItems, held] = await Promise.all([
      listTagItems(call.table, refs, { last: undefined, wanted: tagItemsMax }),
      listHeldVersions(call.table, found),
    ]);
    return packageRecord(call.repository.packageType, holders, tagItems, held);
  },
  { alsoRead: alsoReadSources },
);
