import { randomUUID } from 'node:crypto';
import { endpoint } from '../../shared/http/endpoint.ts';
import { insertRepository } from '../../shared/table/repositories/repositories.ts';
import { createLocalRepository } from './contracts.ts';
import { answeringAgain, creationRefused } from './creation.ts';
import { localRepositoryRecord } from './record.ts';

export const handler = endpoint(
  createLocalRepository,
  async ({ body, caller, workspace, table, remember }) => {
    const fields = {
      repositoryId: randomUUID(),
      repositoryType: 'local',
      name: body.name,
      packageType: body.packageType,
      createdBy: caller.user.userId,
    } as const;
    const outcome = await insertRepository(table, workspace, fields, remember);
    if ('reason' in outcome) throw creationRefused(body.name, outcome);
    return localRepositoryRecord(outcome.created);
  },
  { answerAgain: answeringAgain('local', localRepositoryRecord) },
);
