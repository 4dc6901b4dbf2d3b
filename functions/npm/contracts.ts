import { type Contract, contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { parsedBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads, searches } from '../../shared/packages/types/endpoint-rights.ts';
import { cliFormat, done, npmToken, search, stagePage, text } from './schemas.ts';

const base = '/npm/{workspace}/{repository}';
const json = 'application/json';

/** Tags are no large document, which would be sent from the staging area. */
const readsTags = {
  ...reads('documents'),
  store: ['GetObject blobs/*', 'PutObject blobs/*', 'GetObject staging/*'],
} as const satisfies Partial<Contract>;

export const getNpmDocument = contract({
  id: 'npm/get-npm-document',
  method: 'GET',
  head: true,
  path: `${base}/{path+}`,
  summary: 'Get a packument, a version or a tarball',
  description:
    'The answers are those of the npm registry: `name` is the packument (abbreviated for `Accept: application/vnd.npm.install-v1+json`), `name/version` is one manifest, and `name/-/file.tgz` is the tarball.',
  access: 'repository-viewer',
  query: object(
    {
      write: schema({ type: 'string', enum: ['true'] }),
      format: cliFormat,
      key: search(300, '"build-bot"'),
      ...stagePage,
      ...waitParameter,
    },
    ['write', 'format', 'key', 'page', 'perPage', 'package', 'wait'],
  ),
  answer: [
    {
      kind: 'bytes',
      success: 200,
      mediaTypes: [json, 'application/vnd.npm.install-v1+json', fileMediaType],
      headers: ['npm-notice'],
      description: 'The document or the file.',
    },
    fileRedirect('the document or the tarball'),
  ],
  errors: [
    'ROUTE_NOT_FOUND',
    'PACKAGE_NOT_FOUND',
    'LIST_TOO_LONG',
    'VERSION_NOT_FOUND',
    'FILE_NOT_FOUND',
    'VERSION_HELD',
  ],
  ...reads('files', 'documents'),
  isHot: true,
});

export const publishNpmPackage = contract({
  id: 'npm/publish-npm-package',
  method: 'PUT',
  path: `${base}/{path+}`,
  summary: 'Publish a version, or update the metadata of versions',
  description:
    '`npm publish`, `npm deprecate` and the first step of `npm unpublish` send this request. That first step sends the packument without the version to `name/-rev/revision`, and needs `canManage`.',
  access: 'repository-deployer',
  request: {
    kind: 'bytes',
    mediaTypes: [json],
    bytesMax: requestBytesMax,
    stagedBytesMax: parsedBytesMax,
    isPassedOn: true,
  },
  answer: { kind: 'json', success: 201, result: done },
  errors: [
    'ROUTE_NOT_FOUND',
    'BODY_MALFORMED',
    'PACKAGE_INVALID',
    'PACKAGE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'REPOSITORY_READ_ONLY',
    'VERSION_EXISTS',
    'QUOTA_EXCEEDED',
  ],
  ...publishes('an index'),
  isHot: true,
});

export const deleteNpmPackage = contract({
  id: 'npm/delete-npm-package',
  method: 'DELETE',
  path: `${base}/{path+}`,
  summary: 'Unpublish a package or a version',
  description:
    '`npm unpublish` sends this request. `name/-rev/revision` deletes the package if its packument still has this `_rev`, and `name/-/file.tgz/-rev/revision` deletes the version of that tarball. A deleted version can only be published again with the same bytes.',
  access: 'repository-manager',
  answer: { kind: 'json', success: 200, result: done },
  errors: [
    'ROUTE_NOT_FOUND',
    'PACKAGE_INVALID',
    'PACKAGE_NOT_FOUND',
    'PACKAGE_CHANGED',
    'VERSION_NOT_FOUND',
    'REPOSITORY_READ_ONLY',
  ],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
});

export const getDistTags = contract({
  id: 'npm/get-dist-tags',
  method: 'GET',
  head: true,
  path: `${base}/-/package/{path+}`,
  summary: 'Get the dist-tags of a package',
  access: 'repository-viewer',
  query: object({ format: cliFormat }, ['format']),
  answer: { kind: 'bytes', success: 200, mediaTypes: [json], description: 'The dist-tags, each with its version.' },
  errors: ['ROUTE_NOT_FOUND', 'PACKAGE_NOT_FOUND', 'LIST_TOO_LONG'],
  ...readsTags,
});

export const updateDistTag = contract({
  id: 'npm/update-dist-tag',
  method: 'PUT',
  path: `${base}/-/package/{path+}`,
  summary: 'Point a dist-tag at a version',
  access: 'repository-deployer',
  request: { kind: 'bytes', mediaTypes: [json], bytesMax: 1_000 },
  answer: { kind: 'json', success: 201, result: done },
  errors: [
    'ROUTE_NOT_FOUND',
    'BODY_MALFORMED',
    'PACKAGE_INVALID',
    'PACKAGE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'REPOSITORY_READ_ONLY',
  ],
  table: ['PutItem', 'UpdateItem', 'ConditionCheckItem'],
});

export const deleteDistTag = contract({
  id: 'npm/delete-dist-tag',
  method: 'DELETE',
  path: `${base}/-/package/{path+}`,
  summary: 'Remove a dist-tag',
  access: 'repository-deployer',
  answer: { kind: 'json', success: 200, result: done },
  errors: ['ROUTE_NOT_FOUND', 'PACKAGE_INVALID', 'PACKAGE_NOT_FOUND', 'REPOSITORY_READ_ONLY'],
  table: ['PutItem', 'UpdateItem', 'ConditionCheckItem'],
});

export const getNpmUser = contract({
  id: 'npm/get-npm-user',
  method: 'GET',
  head: true,
  path: `${base}/-/whoami`,
  summary: 'Get the current user, for npm',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: object({ username: text('build-bot') }) },
  errors: [],
  table: [],
});

export const createNpmToken = contract({
  id: 'npm/create-npm-token',
  method: 'PUT',
  path: `${base}/-/user/{path+}`,
  summary: 'Log in with npm',
  description:
    'What `npm login` and `npm adduser` send. The username in the path and the password in the body get a new personal access token, which expires after 90 days; a body without a password gets the token of the `Authorization` header back, and the username `token` with a token as the password that token, also one that may only read. No account is created.',
  access: 'repository-viewer',
  // Who sends a token gets it back, and no other one.
  limitedTokens: 'themselves',
  // npm asks people for a username and a password, and they know of no header.
  authenticates:
    'The username, the password or the token is wrong, the user is disabled, or there were too many wrong passwords. Users are created by a System Admin.',
  request: { kind: 'bytes', mediaTypes: [json], bytesMax: 10_000 },
  answer: {
    kind: 'json',
    success: 201,
    result: npmToken,
  },
  errors: ['BODY_MALFORMED'],
  table: ['PutItem', 'UpdateItem'],
});

export const deleteNpmToken = contract({
  id: 'npm/delete-npm-token',
  method: 'DELETE',
  path: `${base}/-/user/token/{token}`,
  summary: 'Log out with npm',
  description: 'What `npm logout` sends: it deletes the personal access token in the path, which must be your own.',
  access: 'repository-viewer',
  limitedTokens: 'themselves',
  pathIsSecret: true,
  answer: { kind: 'json', success: 200, result: done },
  errors: ['TOKEN_NOT_FOUND'],
  table: ['PutItem', 'UpdateItem', 'DeleteItem'],
});

export const updateNpmAccount = contract({
  id: 'npm/update-npm-account',
  method: 'POST',
  path: `${base}/-/{path+}`,
  summary: 'Refuse what npm changes of an account',
  description:
    '`npm token create`, `npm profile set`, `npm access set`, `npm trust` and `npm stage approve` send this request. The answer is always 404, with a sentence that says what to use instead.',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: object({}) },
  errors: ['ROUTE_NOT_FOUND'],
  table: [],
});

export const checkNpmPackages = contract({
  id: 'npm/check-npm-packages',
  method: 'POST',
  limitedTokens: 'ask',
  path: `${base}/-/npm/v1/security/{path+}`,
  summary: 'Audit packages, for npm',
  description:
    'What `npm audit`, `npm install`, pnpm and Yarn send. Where advisories on npm were imported, they answer `advisories/bulk`, which npm since 7 and Yarn 4 ask. Otherwise the upstream of the first remote repository answers, within five seconds. It is not told the names that only local repositories answer for, nor the name of the project.',
  access: 'repository-viewer',
  request: { kind: 'bytes', mediaTypes: [json], bytesMax: requestBytesMax, isAlsoGzipped: true },
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: [json],
    description: 'The advisories, in the form of the registry of npm.',
  },
  errors: ['ROUTE_NOT_FOUND'],
  table: ['UpdateItem'],
  decrypts: true,
});

export const getNpmPing = contract({
  id: 'npm/get-npm-ping',
  method: 'GET',
  head: true,
  path: `${base}/-/ping`,
  summary: 'Check that the repository answers, for npm',
  access: 'repository-viewer',
  query: object({ write: schema({ type: 'string', enum: ['true'] }) }, ['write']),
  answer: { kind: 'json', success: 200, result: object({}) },
  errors: [],
  table: [],
});

export const getNpmSearch = contract({
  id: 'npm/get-npm-search',
  method: 'GET',
  head: true,
  path: `${base}/-/v1/search`,
  summary: 'Search for packages',
  description:
    '`npm search` sends this request. It finds packages of local repositories whose names contain each word of `text`, and then what the upstreams of remote ones find. A word `scope:name` limits the search to that scope. `quality`, `popularity` and `maintenance` are accepted and ignored.',
  access: 'repository-viewer',
  query: object(
    {
      text: search(500, 'scope:acme web'),
      size: search(20, '20'),
      from: search(20, '0'),
      quality: search(20, '0.65'),
      popularity: search(20, '0.98'),
      maintenance: search(20, '0.5'),
    },
    ['text', 'size', 'from', 'quality', 'popularity', 'maintenance'],
  ),
  answer: { kind: 'bytes', success: 200, mediaTypes: [json], description: 'The packages, each as its latest version.' },
  errors: [],
  ...searches(),
});
