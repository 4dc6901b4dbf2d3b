import { endpoint } from '../../shared/http/endpoint.ts';
import { getRepository } from './contracts.ts';
import { repositoryRecord } from './record.ts';

export const handler = endpoint(getRepository, async ({ repository }) => repositoryRecord(repository));
