import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const path = '/debian/{workspace}/{repository}/{path+}';

const text = (example: string) => schema({ type: 'string', examples: [example] });

const versionFields = {
  package: text('acme-app'),
  version: text('bookworm/main/1.0-1_amd64'),
  file: text('acme-app_1.0-1_amd64.deb'),
};

export const getDebianDocument = contract({
  id: 'debian/get-debian-document',
  method: 'GET',
  head: true,
  path,
  summary: 'Get a list of a repository, or a package',
  description:
    'The answers are those of a repository for apt: `dists/{distribution}/InRelease` names the lists of packages by their hashes and has its signature around it, and `Release` and `Release.gpg` are the same beside each other. `dists/{distribution}/{component}/binary-{architecture}/by-hash/SHA256/{hash}` is such a list, which stays for three days after the next one, and `Packages.gz` and `Packages` are those of the last Release. `pool/{distribution}/{component}/{file}` is a package, and `key.asc` the key that signs. A remote repository passes on what its upstream has, byte for byte, by the hashes of its Release.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: ['text/plain; charset=utf-8', fileMediaType],
      headers: ['Last-Modified', 'Repr-Digest', 'Digest'],
      description: 'The list or the file.',
    },
    fileRedirect('the list or the file'),
  ],
  errors: ['FILE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  signs: true,
  isHot: true,
});

export const publishDebianPackage = contract({
  id: 'debian/publish-debian-package',
  method: 'PUT',
  path,
  summary: 'Publish a package',
  description:
    'The body is a package of Debian: `curl -fT app_1.0-1_amd64.deb …/debian/acme/linux/pool/bookworm/main/`, or `…/pool/bookworm/main/upload`, or `…/app.deb;deb.distribution=bookworm;deb.component=main;deb.architecture=amd64`. The package itself says its name, version and architecture. A version of an architecture in a component of a distribution never changes. dput also sends a `.changes`, whose packages must have arrived as it names them, and a `.buildinfo`; both are answered and not kept.',
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

export const deleteDebianPackage = contract({
  id: 'debian/delete-debian-package',
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
