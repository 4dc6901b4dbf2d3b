import { contract } from '../../shared/http/contract.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const base = '/gems/{workspace}/{repository}';

const text = 'text/plain; charset=utf-8';

/** An answer that gem prints. */
const sentence = (description: string) => ({ kind: 'bytes', success: 200, mediaTypes: [text], description }) as const;

export const getGemsRoot = contract({
  id: 'gems/get-gems-root',
  method: 'GET',
  head: true,
  path: base,
  summary: 'Ask whether a repository is a source of gems',
  description: 'gem asks this before it reads an index: the answer 200 leads it to the compact index.',
  access: 'repository-viewer',
  answer: sentence('What the repository is.'),
  errors: [],
  table: [],
});

export const getGemsDocument = contract({
  id: 'gems/get-gems-document',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get an index, a gem or its gemspec',
  description:
    'The answers are those of rubygems.org: `versions`, `info/{gem}` and `names` are the compact index, `specs.4.8.gz`, `latest_specs.4.8.gz` and `prerelease_specs.4.8.gz` the lists that older clients read, `quick/Marshal.4.8/{file}` is the gemspec of a version, and `gems/{file}` the gem. `versions` grows at its end, so that a range of it is what is new: its `ETag` is the MD5 of the whole in hex, `Repr-Digest` its SHA-256. A range beyond the end gets the whole.',
  access: 'repository-viewer',
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: [text, fileMediaType],
      headers: ['Last-Modified', 'Repr-Digest', 'Digest'],
      description: 'The document or the file.',
    },
    { kind: 'redirect', description: 'The address of the document or the file for the next five minutes.' },
  ],
  errors: ['VERSION_HELD', 'PACKAGE_NOT_FOUND', 'FILE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...reads('files', 'documents'),
  isHot: true,
});

export const publishGem = contract({
  id: 'gems/publish-gem',
  method: 'POST',
  path: `${base}/api/v1/gems`,
  summary: 'Publish a gem',
  description:
    '`gem push` sends this request: the body is the gem. A version for a platform never changes. Versions that RubyGems takes for equal, such as 1.0 and 1.0.0, are one version.',
  access: 'repository-deployer',
  request: { kind: 'bytes', bytesMax: requestBytesMax, stagedBytesMax: objectBytesMax },
  answer: sentence('What was published.'),
  errors: ['BODY_MALFORMED', 'PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  ...publishes('an index'),
});

export const deleteGemVersion = contract({
  id: 'gems/delete-gem-version',
  method: 'DELETE',
  path: `${base}/api/v1/gems/yank`,
  summary: 'Yank a version',
  description:
    '`gem yank` sends this request, with `gem_name`, `version` and, unless it is `ruby`, `platform` in a form or in the query. As on rubygems.org, a yanked version is gone. It can only be published again with the same bytes. In a remote repository, the cached file is deleted; in a virtual one, the version in its upload target.',
  access: 'repository-manager',
  request: { kind: 'bytes', bytesMax: 10_000 },
  answer: sentence('What was yanked.'),
  errors: ['BODY_MALFORMED', 'PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'REPOSITORY_READ_ONLY'],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
});

export const getGemKey = contract({
  id: 'gems/get-gem-key',
  method: 'GET',
  head: true,
  path: `${base}/api/v1/api_key`,
  summary: 'Get the key for gem',
  description:
    'What `gem push` needs as `GEM_HOST_API_KEY` or in `~/.gem/credentials`: the token of the request. A username and a password are refused: `POST` makes a token for them.',
  access: 'repository-viewer',
  answer: sentence('The key.'),
  errors: ['FORBIDDEN'],
  table: [],
});

export const createGemKey = contract({
  id: 'gems/create-gem-key',
  method: 'POST',
  path: `${base}/api/v1/api_key`,
  summary: 'Sign in with gem',
  description:
    '`gem signin` sends this request with a username and a password, and keeps the answer in `~/.gem/credentials`: with the username `token` and a token as the password, that token, else a new personal access token, which expires after 90 days. The name and the scopes that gem sends change nothing.',
  access: 'repository-viewer',
  // Who sends a token gets it back, and no other one.
  limitedTokens: 'themselves',
  request: { kind: 'bytes', bytesMax: 10_000 },
  answer: sentence('The key.'),
  errors: ['FORBIDDEN'],
  table: ['PutItem'],
  idempotencyKey: 'refused',
});
