import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const path = '/universal/{workspace}/{repository}/{path+}';

const fileSchemas = {
  package: schema({ type: 'string', examples: ['tools/formatter'] }),
  version: schema({ type: 'string', examples: ['1.0.0'] }),
  file: schema({ type: 'string', examples: ['formatter.zip'] }),
};

export const getUniversalFile = contract({
  id: 'universal/get-universal-file',
  method: 'GET',
  head: true,
  path,
  summary: 'Download a file',
  description:
    'The path consists of the package (one or more segments), the version and the file. The answer for a large file is a redirect, so use `curl -L`. While an upstream sends a file slowly, the answer is a redirect to the same address with `wait`, at most five times.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    { kind: 'bytes', success: 200, mediaTypes: [fileMediaType], description: 'The file.' },
    fileRedirect('the file'),
  ],
  errors: ['PACKAGE_INVALID', 'VERSION_BLOCKED', 'FILE_NOT_FOUND'],
  ...reads('files'),
  isHot: true,
});

export const publishUniversalFile = contract({
  id: 'universal/publish-universal-file',
  method: 'PUT',
  path,
  summary: 'Publish a file',
  description:
    'The path consists of the package (one or more segments), the version and the file: `curl -T file …/package/1.0.0/file`. A version can have several files; each of them needs a request. The body is compared with its checksums in `X-Checksum-Sha256`, `X-Checksum-Sha512`, `X-Checksum-Sha1`, `X-Checksum-Md5`, `Content-Digest` and `Repr-Digest`, where the request has them; another body is refused.',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: objectBytesMax },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      ...fileSchemas,
      sizeInBytes: schema({ type: 'integer', minimum: 0, examples: [1024] }),
      sha256: schema({ type: 'string', pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    }),
  },
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes(),
  idempotencyKey: 'taken',
  isHot: true,
});

export const deleteUniversalFile = contract({
  id: 'universal/delete-universal-file',
  method: 'DELETE',
  path,
  summary: 'Delete a file',
  description:
    'With the last file of a version, the version is deleted. A deleted file can only be published again with the same bytes. In a remote repository, the cached file is deleted; in a virtual one, that of its upload target.',
  access: 'repository-manager',
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      ...fileSchemas,
      status: schema({ type: 'string', enum: ['deleted'] }),
    }),
  },
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'FILE_NOT_FOUND'],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
});
