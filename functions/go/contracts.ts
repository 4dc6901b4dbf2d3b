import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { passedBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';
import { textType } from './media-types.ts';

const path = '/go/{workspace}/{repository}/{path+}';

export const getGoFile = contract({
  id: 'go/get-go-file',
  method: 'GET',
  head: true,
  path,
  summary: 'Get versions or a file of a module',
  description:
    'The answers are those of a module proxy (GOPROXY): `module/@v/list`, `module/@latest`, and `module/@v/version` with `.info`, `.mod` or `.zip`. Capitals in modules and versions are written as `!` and the small letter. `sumdb/database/…` passes on what the first remote repository knows of a checksum database. To go itself, which names itself `Go-http-client`, refusals are plain text.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: [textType, 'application/json', 'application/zip', fileMediaType],
      description: 'The list, the file, or what the checksum database answered.',
    },
    fileRedirect('the file'),
  ],
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_HELD', 'FILE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  isHot: true,
});

export const publishGoModule = contract({
  id: 'go/publish-go-module',
  method: 'PUT',
  path,
  summary: 'Publish a version of a module',
  description:
    'The path is `module/@v/version.zip`, and the body is the module zip: `curl -T module.zip …/corp.example/module/@v/v1.0.0.zip`. All paths in the zip begin with `module@version/`. A version never changes.',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: passedBytesMax },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      module: schema({ type: 'string', examples: ['corp.example/module'] }),
      version: schema({ type: 'string', examples: ['v1.0.0'] }),
      sizeInBytes: schema({ type: 'integer', minimum: 0, examples: [1024] }),
      sha256: schema({ type: 'string', pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    }),
  },
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
  idempotencyKey: 'taken',
});
