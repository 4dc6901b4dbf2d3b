import { endpoint } from '../../shared/http/endpoint.ts';
import { verdictsList } from '../../shared/table/keys.ts';
import { pageOf } from '../../shared/table/lists.ts';
import { queryAll } from '../../shared/table/query-pages.ts';
import { standing } from '../../shared/table/repositories/verdicts.ts';
import { listVerdicts } from './contracts.ts';
import { verdictRecord } from './target-verdict.ts';

export const handler = endpoint(listVerdicts, async ({ workspace: { workspaceId }, table, page }) => {
  const found = await queryAll(table, verdictsList(workspaceId));
  const entries = found.flatMap(({ item: verdicts }) =>
    standing(verdicts).map((verdict) => ({
      position: `${verdicts.packageType}/${verdict.package}`,
      item: verdictRecord(verdicts, verdict),
    })),
  );
  return pageOf({ entries, next: undefined }, page);
});
