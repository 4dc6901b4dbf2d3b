import { ApiError } from '../../shared/errors.ts';
import type { Table } from '../../shared/table/client.ts';
import { verdictsKey } from '../../shared/table/keys.ts';
import { untilSettled } from '../../shared/table/races.ts';
import { changeVerdict, type Verdict } from '../../shared/table/repositories/verdicts.ts';
import { type TargetVerdict, withFound } from './target-verdict.ts';

/** Replaces a verdict by what `next` makes of it; undefined removes it. Another change of the same verdicts at the same time loses nothing. */
export const settleVerdict = async (
  table: Table,
  target: TargetVerdict,
  next: (before: Verdict | undefined) => Verdict | undefined,
): Promise<void> => {
  let current = target;
  const { workspaceId, packageType } = target.ref;
  const key = verdictsKey(workspaceId, packageType);
  await untilSettled(table, async (isAgain) => {
    if (isAgain) current = withFound(current, (await table.read([key])).find(key));
    const outcome = await changeVerdict(table, current.ref, current.name, next(current.verdict));
    if (outcome === 'workspace gone') throw new ApiError('WORKSPACE_NOT_FOUND');
    if (outcome === 'too many') throw new ApiError('TOO_MANY_VERDICTS');
    return outcome === 'changed' ? outcome : undefined;
  });
};
