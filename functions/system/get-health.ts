import { config } from '../../shared/config.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { getHealth } from './contracts.ts';

export const handler = endpoint(getHealth, async () => ({
  status: 'ok' as const,
  version: config.version,
}));
