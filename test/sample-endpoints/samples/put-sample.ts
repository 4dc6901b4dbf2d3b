import { endpoint } from '../../../shared/http/endpoint.ts';
import { putSample } from './contracts.ts';
import { stagingKey, writeObject } from './objects.ts';

export const handler = endpoint(putSample, async ({ params: { path }, repository, body }) =>
  writeObject(() => stagingKey(repository, path), path, body.stream()),
);
