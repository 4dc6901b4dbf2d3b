import { endpoint } from '../../shared/http/endpoint.ts';
import { getRegistry } from './contracts.ts';

/** What clients look for before they believe in the registry (the distribution API of docker). */
const headers = { 'Docker-Distribution-API-Version': 'registry/2.0' };

export const handler = endpoint(getRegistry, async () => ({
  kind: 'bytes' as const,
  mediaType: 'application/json',
  content: '{}',
  headers,
}));
