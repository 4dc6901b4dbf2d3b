import { contract } from '../../shared/http/contract.ts';
import { advisoriesSchema, importBody, importSchema } from './schemas.ts';

const imports = '/1/advisories/imports';

export const createAdvisoryImport = contract({
  id: 'advisories/create-advisory-import',
  method: 'POST',
  path: imports,
  summary: 'Import advisories',
  description:
    'Imports the archive that osv.dev has of an ecosystem, `https://osv-vulnerabilities.storage.googleapis.com/{ecosystem}/all.zip`. Announce it as the only file of an upload session in any repository, send it, and name the session here instead of completing it. Afterwards exactly what the archive has is known of the type: entries that did not change are left as they are, and those that were withdrawn, or that the archive has no more, go. An archive that is damaged, out of bounds or of another ecosystem is refused before anything is written. A later import of the same type replaces one that is going on.',
  access: 'system-admin',
  request: { kind: 'json', body: importBody },
  answer: { kind: 'json', success: 201, result: importSchema, location: '/1/advisories/imports/{id}' },
  idempotencyKey: 'taken',
  errors: ['UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE'],
  table: ['PutItem', 'UpdateItem'],
  store: ['GetObject staging/*'],
  invokes: ['importer'],
});

export const getAdvisoryImport = contract({
  id: 'advisories/get-advisory-import',
  method: 'GET',
  path: `${imports}/{import}`,
  summary: 'Get an import of advisories',
  description: 'How far it is. If it has not ended and nobody is at it, it goes on.',
  access: 'system-admin',
  answer: { kind: 'json', success: 200, result: importSchema },
  errors: ['ADVISORY_IMPORT_NOT_FOUND'],
  table: [],
  invokes: ['importer'],
});

export const getPackageAdvisories = contract({
  id: 'advisories/get-package-advisories',
  method: 'GET',
  path: '/1/advisories/{packageType}/{package}',
  summary: 'Get the advisories on a package',
  description: 'What was imported. It is public knowledge, so every user may read it.',
  access: 'user',
  answer: { kind: 'json', success: 200, result: advisoriesSchema },
  errors: [],
  table: ['Query'],
});
