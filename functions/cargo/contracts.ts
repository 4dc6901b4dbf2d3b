import { type Contract, contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { passedBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads, searches } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/cargo/{workspace}/{repository}';
const crates = `${base}/api/v1/crates` as const;
const version = `${crates}/{crate}/{version}` as const;

const text = (example: string) => schema({ type: 'string', examples: [example] });
const ok = object({ ok: schema({ type: 'boolean', examples: [true] }) });

export const getCargoConfig = contract({
  id: 'cargo/get-cargo-config',
  method: 'GET',
  head: true,
  path: `${base}/config.json`,
  summary: 'Get the settings of the registry',
  description: 'Cargo sends this request first. The addresses begin with the base URL of the request.',
  access: 'repository-viewer',
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      dl: text('https://stockroom.example.com/cargo/acme/cargo/api/v1/crates'),
      api: text('https://stockroom.example.com/cargo/acme/cargo'),
      'auth-required': schema({ type: 'boolean', examples: [true] }),
    }),
  },
  errors: [],
  table: [],
});

export const getCrateIndex = contract({
  id: 'cargo/get-crate-index',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get the versions of a crate',
  description:
    'A file of the sparse index: a line of JSON for each version. The path is `1/a`, `2/ab`, `3/a/abc` or `ab/cd/abcd…`, in lower case.',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    { kind: 'bytes', success: 200, mediaTypes: ['text/plain; charset=utf-8'], description: 'The versions.' },
    fileRedirect('the file'),
  ],
  errors: ['PACKAGE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...reads('documents'),
  isHot: true,
});

// API Gateway takes 10 kB of request line and headers, and a character may need twelve bytes.
const search = (maxLength: number, example: string) => schema({ type: 'string', maxLength, examples: [example] });

export const getCargoSearch = contract({
  id: 'cargo/get-cargo-search',
  method: 'GET',
  head: true,
  path: crates,
  summary: 'Search for crates',
  description:
    '`cargo search` sends this request. It finds crates of local repositories whose names contain each word of `q`, and then what the upstreams of remote ones find.',
  access: 'repository-viewer',
  query: object({ q: search(500, 'acme parser'), per_page: search(20, '10') }, ['q', 'per_page']),
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: ['application/json'],
    description: 'The crates, each with its highest version.',
  },
  errors: [],
  ...searches(),
});

export const getCrate = contract({
  id: 'cargo/get-crate',
  method: 'GET',
  head: true,
  path: `${version}/download`,
  summary: 'Download a crate',
  access: 'repository-viewer',
  query: object(waitParameter, ['wait']),
  answer: [
    { kind: 'bytes', success: 200, mediaTypes: [fileMediaType], description: 'The crate.' },
    fileRedirect('the crate'),
  ],
  errors: ['VERSION_NOT_FOUND', 'VERSION_HELD'],
  ...reads('files'),
  isHot: true,
});

export const publishCrate = contract({
  id: 'cargo/publish-crate',
  method: 'PUT',
  path: `${crates}/new`,
  summary: 'Publish a crate',
  description:
    '`cargo publish` sends this request. The body consists of the length of the metadata (four bytes, the lowest first), the metadata as JSON, the length of the crate, and the crate.',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: passedBytesMax, isPassedOn: true },
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      warnings: object({
        invalid_categories: schema({ type: 'array', items: text('tools') }),
        invalid_badges: schema({ type: 'array', items: text('maintenance') }),
        other: schema({ type: 'array', items: text('A sentence that Cargo prints.') }),
      }),
    }),
  },
  errors: ['BODY_MALFORMED', 'PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
});

/** What yanking and its opposite have in common. */
const yanking = {
  access: 'repository-deployer',
  answer: { kind: 'json', success: 200, result: ok },
  errors: ['VERSION_NOT_FOUND', 'REPOSITORY_READ_ONLY', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
} as const satisfies Partial<Contract>;

export const addYank = contract({
  id: 'cargo/add-yank',
  method: 'DELETE',
  path: `${version}/yank`,
  summary: 'Yank a version',
  description:
    '`cargo yank` sends this request. Cargo no longer chooses the version, but a Cargo.lock that names it still works: nothing is deleted.',
  ...yanking,
});

export const removeYank = contract({
  id: 'cargo/remove-yank',
  method: 'PUT',
  path: `${version}/unyank`,
  summary: 'Take back that a version was yanked',
  description: '`cargo yank --undo` sends this request.',
  ...yanking,
});
