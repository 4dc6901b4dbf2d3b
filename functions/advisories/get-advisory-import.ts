import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { isAtWork } from '../../shared/table/repositories/advisory-imports.ts';
import { advisoryImportKey } from '../../shared/table/repositories/advisory-keys.ts';
import { getAdvisoryImport } from './contracts.ts';
import { importRecord } from './record.ts';
import { startRun } from './start.ts';

const keyOf = (params: { readonly import: string }) => advisoryImportKey(params.import.toLowerCase());

export const handler = endpoint(
  getAdvisoryImport,
  async ({ params, table, loaded }) => {
    const found = loaded.find(keyOf(params));
    if (!found) throw new ApiError('ADVISORY_IMPORT_NOT_FOUND');
    if (found.state === 'running' && !isAtWork(found)) await startRun(table, found);
    return importRecord(found);
  },
  { alsoRead: ({ params }) => [keyOf(params)] },
);
