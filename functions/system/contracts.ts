import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';

export const getHealth = contract({
  id: 'system/get-health',
  method: 'GET',
  path: '/healthz',
  summary: 'Tell that the service runs',
  description: 'Depends on nothing else: it answers as long as functions run.',
  access: 'public',
  success: 200,
  result: object({
    status: schema({ type: 'string', enum: ['ok'] }),
    version: schema({
      type: 'string',
      description: 'The version of the deployed release.',
      examples: ['0.1.0'],
    }),
  }),
  errors: [],
  table: [],
});

export const getReadiness = contract({
  id: 'system/get-readiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Tell that the service can serve',
  description: 'Reads the table once: a 503 means that it does not answer.',
  access: 'public',
  success: 200,
  result: object({ status: schema({ type: 'string', enum: ['ready'] }) }),
  errors: [],
  table: ['BatchGetItem'],
});
