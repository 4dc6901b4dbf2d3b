import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publishes, reads, searches } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/composer/{workspace}/{repository}';

/** The form of an audit of 5,000 packages has some 250 kB. */
const formBytesMax = 1_000_000;

const text = (example: string) => schema({ type: 'string', examples: [example] });

export const getComposerDocument = contract({
  id: 'composer/get-composer-document',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get the addresses of a repository, the versions of a package, or a file',
  description:
    'The answers are those of a repository of Composer 2: `packages.json` has the addresses, `p2/{vendor}/{project}.json` the versions of a package, `p2/{vendor}/{project}~dev.json` those of development, and `dist/{vendor}/{project}/{version}/{file}` is a file. The address of a file never changes: lock files keep it. `Last-Modified` of a document is another date for each of its revisions, and compared for equality.',
  access: 'repository-viewer',
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: ['application/json', fileMediaType],
      headers: ['Last-Modified'],
      description: 'The document or the file.',
    },
    { kind: 'redirect', description: 'The address of the document or the file for the next five minutes.' },
  ],
  errors: ['PACKAGE_NOT_FOUND', 'FILE_NOT_FOUND', 'VERSION_HELD', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  isHot: true,
});

// API Gateway takes 10 kB of request line and headers, and a character may need twelve bytes.
const words = (maxLength: number, example: string) => schema({ type: 'string', maxLength, examples: [example] });

export const getComposerSearch = contract({
  id: 'composer/get-composer-search',
  method: 'GET',
  head: true,
  path: `${base}/search.json`,
  summary: 'Search for packages',
  description:
    '`composer search` sends this request. It finds packages of local repositories whose names contain each word of `q`, and then what the upstreams of remote ones find. With `type`, it finds those of one type.',
  access: 'repository-viewer',
  query: object(
    { q: words(500, 'acme app'), type: words(100, 'library'), page: words(20, '2'), per_page: words(20, '15') },
    ['q', 'type', 'page', 'per_page'],
  ),
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: ['application/json'],
    description: 'The packages, each with the description of its newest version.',
  },
  errors: [],
  ...searches(),
});

export const getComposerList = contract({
  id: 'composer/get-composer-list',
  method: 'GET',
  head: true,
  path: `${base}/list.json`,
  summary: 'List the names of packages',
  description:
    '`composer search` and the completion of names send this request. `filter` is a name, in which `*` stands for any text. Without it, the list has the names of local repositories alone.',
  access: 'repository-viewer',
  query: object({ filter: words(500, 'acme/*'), vendor: words(200, 'acme') }, ['filter', 'vendor']),
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: ['application/json'],
    description: 'The names.',
  },
  errors: [],
  // Names come from lists, and not from indexes.
  table: ['Query', 'UpdateItem'],
  decrypts: true,
});

export const checkComposerPackages = contract({
  id: 'composer/check-composer-packages',
  method: 'POST',
  limitedTokens: 'ask',
  path: `${base}/security-advisories`,
  summary: 'Audit packages, for Composer',
  description:
    'What `composer audit` and `composer update` send since Composer 2.4: the names of packages, as a form. Where advisories on Composer were imported, they answer. Otherwise the upstream of the first remote repository answers at the address in its `packages.json`, within five seconds. It is not told the names that only local repositories answer for.',
  access: 'repository-viewer',
  request: { kind: 'bytes', mediaTypes: ['application/x-www-form-urlencoded'], bytesMax: formBytesMax },
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: ['application/json'],
    description: 'The advisories, in the form of Packagist.',
  },
  errors: ['BODY_MALFORMED'],
  table: ['UpdateItem'],
  decrypts: true,
});

export const publishComposerPackage = contract({
  id: 'composer/publish-composer-package',
  method: 'PUT',
  path: base,
  summary: 'Publish a version of a package',
  description:
    'The body is a zip with a composer.json at its root, or in its only folder. Where that says no version, `version` does: `curl -T app.zip "…/composer/acme/php?version=1.0.0"`. A version never changes.',
  access: 'repository-deployer',
  query: object({ version: words(150, '1.0.0') }, ['version']),
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: objectBytesMax },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      package: text('acme/app'),
      version: text('1.0.0'),
      sizeInBytes: schema({ type: 'integer', minimum: 0, examples: [1024] }),
      sha256: schema({ type: 'string', pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    }),
  },
  errors: ['BODY_MALFORMED', 'PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
  idempotencyKey: 'taken',
});
