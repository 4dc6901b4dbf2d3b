import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const path = '/rpm/{workspace}/{repository}/{path+}';

const text = (example: string) => schema({ type: 'string', examples: [example] });

const versionFields = {
  package: text('acme-app'),
  version: text('el9/1.0-1.x86_64'),
  file: text('acme-app-1.0-1.x86_64.rpm'),
};

export const getRpmDocument = contract({
  id: 'rpm/get-rpm-document',
  method: 'GET',
  head: true,
  path,
  summary: 'Get a list of a repository, or a package',
  description:
    'The answers are those of a repository for dnf and zypper: `repodata/repomd.xml` names the lists by their hashes, and the others below `repodata/` are these lists, each of which stays for three days after the next one. `Packages/{file}` is a package. A path in front of them, such as `el9/x86_64/repodata/repomd.xml`, is that of a repository of its own in the same repository. `repodata/repomd.xml.asc` is the signature of `repomd.xml`, and `key.asc` and `repodata/repomd.xml.key` the key that made it. `{name}.repo` has the lines for /etc/yum.repos.d. A remote repository passes on what its upstream has, byte for byte.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: ['application/xml', 'text/plain; charset=utf-8', fileMediaType],
      headers: ['Last-Modified', 'Repr-Digest', 'Digest', 'Set-Cookie'],
      description: 'The list or the file.',
    },
    fileRedirect('the list or the file'),
  ],
  errors: ['FILE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  signs: true,
  isHot: true,
});

export const publishRpmPackage = contract({
  id: 'rpm/publish-rpm-package',
  method: 'PUT',
  path,
  summary: 'Publish a package',
  description:
    'The body is a package of rpm: `curl -fT app-1.0-1.noarch.rpm …/rpm/acme/linux/`. Its header says its name, version and architecture, and so where it is found. Directories in the path, such as `el9/x86_64/`, choose a repository in the repository; `Packages` and what follows it count for none. A version of an architecture never changes.',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: objectBytesMax },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      ...versionFields,
      sizeInBytes: schema({ type: 'integer', minimum: 0, examples: [1024] }),
      sha256: schema({ type: 'string', pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    }),
  },
  errors: [
    'BODY_MALFORMED',
    'PACKAGE_INVALID',
    'FILE_NOT_FOUND',
    'REPOSITORY_READ_ONLY',
    'VERSION_EXISTS',
    'QUOTA_EXCEEDED',
  ],
  ...publishes('an index'),
  idempotencyKey: 'taken',
});

export const deleteRpmPackage = contract({
  id: 'rpm/delete-rpm-package',
  method: 'DELETE',
  path,
  summary: 'Delete a package',
  description:
    'A deleted version can only be published again with the same bytes. In a remote repository, the cached file is deleted; in a virtual one, the version in its upload target.',
  access: 'repository-manager',
  answer: {
    kind: 'json',
    success: 200,
    result: object({ ...versionFields, status: schema({ type: 'string', enum: ['deleted'] }) }),
  },
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'FILE_NOT_FOUND', 'REPOSITORY_READ_ONLY'],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
});
