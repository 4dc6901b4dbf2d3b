import { randomUUID } from 'node:crypto';
import { requireValid } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';
import { type Child, insertRepository, type Repository } from '../../shared/table/repositories/repositories.ts';
import { childViolations, listingRule } from './children.ts';
import { createVirtualRepository } from './contracts.ts';
import { answeringAgain, creationRefused } from './creation.ts';
import { virtualRepositoryRecord } from './record.ts';
import { sizeViolations, virtualsBelow } from './tree.ts';

export const handler = endpoint(
  createVirtualRepository,
  async ({ body, caller, workspace, loaded, table, remember }) => {
    const { name, packageType } = body;
    const ids = body.childRepositoryIds.map((id) => id.toLowerCase());
    const uploadLocalRepositoryId = body.uploadLocalRepositoryId?.toLowerCase() ?? null;
    const check = (children: readonly (Repository | undefined)[]): void => {
      const violations = childViolations(ids, children, packageType, uploadLocalRepositoryId);
      requireValid(violations);
    };

    const children = ids.map((id) => locate(repositoriesOf(workspace.workspaceId), id, loaded).item);
    check(children);
    const tooMany = sizeViolations(ids, await virtualsBelow(table, workspace.workspaceId, children));
    requireValid(tooMany);
    const fields = {
      repositoryId: randomUUID(),
      repositoryType: 'virtual',
      name,
      packageType,
      children: ids.map((id, index): Child => ({ id, name: children[index]?.name ?? '' })),
      uploadLocalRepositoryId,
      createdBy: caller.user.userId,
    } as const;
    const outcome = await insertRepository(table, workspace, fields, remember);
    if ('created' in outcome) return virtualRepositoryRecord(outcome.created);
    // A child was deleted between the read and the transaction. The refusal is the same as for a child that never
    // existed.
    if (outcome.reason === 'children')
      check(children.map((child, index) => (outcome.children[index] ? undefined : child)));
    throw creationRefused(name, outcome);
  },
  {
    rules: [listingRule],
    answerAgain: answeringAgain('virtual', virtualRepositoryRecord),
    alsoRead: ({ body, workspaceId, loaded }) =>
      (body.childRepositoryIds ?? []).flatMap(
        (id) => locate(repositoriesOf(workspaceId), id.toLowerCase(), loaded).next,
      ),
  },
);
