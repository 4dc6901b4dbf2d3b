import { endpoint } from '../../shared/http/endpoint.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { getGemsRoot } from './contracts.ts';
import { gems } from './type.ts';

export const handler = endpoint(getGemsRoot, async ({ repository }) => {
  requireType(repository, gems);
  const content = `${repository.name} is a source of gems: docs/clients/gems.md says how clients are pointed at it.\n`;
  return { kind: 'bytes', mediaType: 'text/plain; charset=utf-8', content };
});
