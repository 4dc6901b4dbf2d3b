import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/conan/{workspace}/{repository}';
const path = `${base}/v2/conans/{path+}`;

const plain = 'text/plain; charset=utf-8';

// API Gateway takes 10 kB of request line and headers, and a character may need twelve bytes.
const text = (maxLength: number, example: string) => schema({ type: 'string', maxLength, examples: [example] });

export const getConanPing = contract({
  id: 'conan/get-conan-ping',
  method: 'GET',
  head: true,
  path: `${base}/v1/ping`,
  summary: 'Check that the repository answers, for Conan',
  description: 'Every command of Conan sends this request first, and logs in if it is refused.',
  access: 'repository-viewer',
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: [plain],
    headers: ['X-Conan-Server-Capabilities'],
    description: 'The repository is there, and has revisions.',
  },
  errors: [],
  table: [],
});

export const getConanToken = contract({
  id: 'conan/get-conan-token',
  method: 'GET',
  path: `${base}/v2/users/authenticate`,
  summary: 'Log in with Conan',
  description:
    'What `conan remote login` sends. With the username `token` and a token as the password, the answer is this token. With a username and a password, it is a new personal access token, which expires after 24 hours.',
  access: 'repository-viewer',
  answer: { kind: 'bytes', success: 200, mediaTypes: [plain], description: 'The token, as text.' },
  errors: ['FORBIDDEN'],
  table: ['PutItem'],
  changesByGet: true,
});

export const getConanUser = contract({
  id: 'conan/get-conan-user',
  method: 'GET',
  head: true,
  path: `${base}/v2/users/check_credentials`,
  summary: 'Get the current user, for Conan',
  description: 'Conan sends this request before it publishes or deletes.',
  access: 'repository-viewer',
  answer: { kind: 'bytes', success: 200, mediaTypes: [plain], description: 'The username, as text.' },
  errors: [],
  table: [],
});

export const getConanSearch = contract({
  id: 'conan/get-conan-search',
  method: 'GET',
  head: true,
  path: `${base}/v2/conans/search`,
  summary: 'Search for recipes',
  description:
    'Conan sends this request for every range of versions, and for `conan list` and `conan search`. `q` is a pattern of recipes, such as `acme/*`, with `*`, `?` and `[…]`. The answer has those of which a revision is complete, in Conan’s order of versions.',
  access: 'repository-viewer',
  query: object({ q: text(500, 'acme/*'), ignorecase: text(10, 'False') }, ['q', 'ignorecase']),
  answer: { kind: 'bytes', success: 200, mediaTypes: ['application/json'], description: 'The recipes.' },
  errors: ['LIST_TOO_LONG'],
  ...reads('documents'),
  store: ['GetObject blobs/*', 'PutObject blobs/*', 'GetObject staging/*'],
  isHot: true,
});

export const getConanDocument = contract({
  id: 'conan/get-conan-document',
  method: 'GET',
  head: true,
  path,
  summary: 'Get a file of a recipe or a binary, or what there is of them',
  description:
    'The protocol of Conan 2. The path is the recipe, `{name}/{version}/{user}/{channel}` with `_` for no user and no channel, and then `latest`, `revisions` or `search`; `revisions/{revision}` and `files`, `files/{file}` or `search`; or behind that `packages/{id}` with `latest`, `revisions` or `revisions/{revision}/files`. A revision is shown once all files are there that it needs.',
  access: 'repository-viewer',
  query: object({ ...waitParameter, list_only: text(10, 'True') }, ['wait', 'list_only']),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: ['application/json', fileMediaType],
      description: 'The document or the file.',
    },
    fileRedirect('the document or the file'),
  ],
  errors: [
    'PACKAGE_INVALID',
    'PACKAGE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'VERSION_HELD',
    'FILE_NOT_FOUND',
    'LIST_TOO_LONG',
  ],
  ...reads('files', 'documents'),
  isHot: true,
});

const name = schema({ type: 'string', examples: ['acme'] });

export const publishConanFile = contract({
  id: 'conan/publish-conan-file',
  method: 'PUT',
  path,
  summary: 'Publish a file of a recipe or a binary',
  description:
    'What `conan upload` sends: each file of a revision in a request of its own, in any order. Nobody is shown the revision before all files are there that its conanmanifest.txt names. A file that is there already with the same bytes is answered with 200. Of a revision that is complete, only users with canManage may replace files. To Conan itself, refusals are plain text.',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: objectBytesMax },
  answer: {
    kind: 'json',
    success: [200, 201],
    result: object({
      package: name,
      version: schema({ type: 'string', examples: ['1.0#35236196a5e674c0de8d8763e064c007'] }),
      file: schema({ type: 'string', examples: ['conanfile.py'] }),
      sizeInBytes: schema({ type: 'integer', minimum: 0, examples: [1024] }),
      sha256: schema({ type: 'string', pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    }),
  },
  errors: [
    'BODY_MALFORMED',
    'PACKAGE_INVALID',
    'REPOSITORY_READ_ONLY',
    'PACKAGE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'QUOTA_EXCEEDED',
  ],
  ...publishes('an index'),
});

export const deleteConanContent = contract({
  id: 'conan/delete-conan-content',
  method: 'DELETE',
  path,
  summary: 'Delete a recipe, a revision or binaries',
  description:
    'What `conan remove` sends. The path is the recipe; a revision of it, with its binaries; `packages` behind that, for all of its binaries; or the revision of one binary. In a remote repository, what is cached of them is deleted; in a virtual one, what its upload target has.',
  access: 'repository-manager',
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      package: name,
      status: schema({ type: 'string', enum: ['deleted'] }),
    }),
  },
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND'],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
});
