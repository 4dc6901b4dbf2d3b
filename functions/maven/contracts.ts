import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const path = '/maven/{workspace}/{repository}/{path+}';

export const getMavenFile = contract({
  id: 'maven/get-maven-file',
  method: 'GET',
  head: true,
  path,
  summary: 'Download a file, metadata or a checksum',
  description:
    'The path is that of a Maven repository: `org/acme/app/1.0/app-1.0.jar`. `maven-metadata.xml` of an artifact, of a SNAPSHOT version and of a group of plugins is computed. `.md5`, `.sha1`, `.sha256` and `.sha512` behind any path are the checksums of what it answers. The answer for a large file is a redirect.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: [fileMediaType, 'application/xml', 'text/plain; charset=utf-8'],
      headers: ['Last-Modified'],
      description: 'The file, the metadata or the checksum.',
    },
    fileRedirect('the file'),
  ],
  errors: ['FILE_NOT_FOUND', 'VERSION_HELD', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  isHot: true,
});

export const publishMavenFile = contract({
  id: 'maven/publish-maven-file',
  method: 'PUT',
  path,
  summary: 'Publish a file',
  description:
    'What `mvn deploy` and Gradle send: each file of a version in a request of its own, then its checksums, which are compared with the stored file. A file of a release and a timestamped file of a SNAPSHOT version never change; `app-1.0-SNAPSHOT.jar` may be replaced. `maven-metadata.xml` is accepted and not stored, because it is computed.',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: objectBytesMax },
  answer: {
    kind: 'json',
    success: [200, 201],
    result: object({
      package: schema({ type: ['string', 'null'], examples: ['org.acme:app'] }),
      file: schema({ type: 'string', examples: ['app-1.0.jar'] }),
      status: schema({
        type: 'string',
        enum: ['published', 'compared', 'ignored'],
        description: 'A file was published; a checksum is that of the stored file; metadata are computed.',
      }),
    }),
  },
  errors: ['PACKAGE_INVALID', 'FILE_NOT_FOUND', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
  idempotencyKey: 'taken',
});
