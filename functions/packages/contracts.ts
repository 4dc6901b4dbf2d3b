import { type Contract, contract } from '../../shared/http/contract.ts';
import { deleted, id, pageParameters } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { passedBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { readmeTypes } from '../../shared/packages/formats/readme-types.ts';
import { reads } from '../../shared/packages/types/endpoint-rights.ts';
import { checkedName, checkedVersion, checkedVersionSchema } from './check-schemas.ts';
import { downloadPageSchema, downloadsQuery } from './download-schemas.ts';
import {
  deletedSchema,
  deletedVersionSchema,
  listedVersionSchema,
  packagePageSchema,
  packageSchema,
  packageVersionSchema,
  usageSchema,
  workspaceUsageSchema,
} from './schemas.ts';
import {
  announcementSchema,
  openUploadSchema,
  placeFields,
  publishedFilesSchema,
  uploadSchema,
  versionFields,
} from './upload-schemas.ts';

const packages = '/1/workspaces/{workspace}/repositories/{repository}/packages';

export const listPackages = contract({
  id: 'packages/list-packages',
  method: 'GET',
  path: packages,
  summary: 'List the packages of a repository',
  description:
    'Ordered by name. A virtual repository shows the packages of its repositories, and a remote repository shows its cached packages. Packages without a version that is not deleted are not listed.',
  access: 'repository-viewer',
  query: object(
    {
      search: schema({
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'The beginning of a name. Only packages whose names begin with it are listed.',
      }),
      limit: schema({
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        description: 'Maximum number of packages per page. The default is 100.',
        examples: [100],
      }),
      offset: schema({
        type: 'integer',
        minimum: 0,
        maximum: 1000,
        allowed: 'a whole number from 0 to 1000; use cursor to go further',
        description: 'Number of packages to skip, at most 1,000. Use `cursor` to go further.',
      }),
      cursor: schema({
        ...pageParameters.cursor,
        description: 'Where the page starts. Take it from `nextCursor` of the previous page.',
      }),
    },
    ['search', 'limit', 'offset', 'cursor'],
  ),
  answer: { kind: 'json', success: 200, result: packagePageSchema },
  errors: [],
  table: ['Query'],
});

export const getPackage = contract({
  id: 'packages/get-package',
  method: 'GET',
  path: `${packages}/{package}`,
  summary: 'Get a package',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: packageSchema },
  errors: ['PACKAGE_NOT_FOUND'],
  table: ['Query'],
  store: ['GetObject blobs/*'],
});

export const listPackageVersions = contract({
  id: 'packages/list-package-versions',
  method: 'GET',
  path: `${packages}/{package}/versions`,
  summary: 'List the versions of a package',
  description:
    'Ordered as texts, so `1.10.0` comes before `1.9.0`. In a virtual repository, a version comes from the first repository that has it.',
  access: 'repository-viewer',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: listedVersionSchema },
  errors: ['PACKAGE_NOT_FOUND'],
  table: ['Query'],
  store: ['GetObject blobs/*'],
});

export const getPackageVersion = contract({
  id: 'packages/get-package-version',
  method: 'GET',
  path: `${packages}/{package}/versions/{version}`,
  summary: 'Get a version of a package',
  description: 'The answer contains the files of the version, at most the first 1,000 by name.',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: packageVersionSchema },
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND'],
  table: ['Query'],
  store: ['GetObject blobs/*'],
});

export const getPackageReadme = contract({
  id: 'packages/get-package-readme',
  method: 'GET',
  path: `${packages}/{package}/versions/{version}/readme`,
  summary: 'Get the README of a version',
  description:
    'As it stands in the archive of the version, or in the metadata of the archive for the types that keep it there: at most the first megabyte of it. Archives of more than 32 MB are looked into only where they are zip archives, as wheels are.',
  access: 'repository-viewer',
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: readmeTypes,
    description: 'The text.',
  },
  errors: ['PACKAGE_NOT_FOUND', 'VERSION_NOT_FOUND', 'README_NOT_FOUND'],
  table: ['Query'],
  store: ['GetObject blobs/*'],
});

export const checkVersion = contract({
  id: 'packages/check-version',
  method: 'POST',
  limitedTokens: 'ask',
  path: '/1/workspaces/{workspace}/repositories/{repository}/check',
  summary: 'Check whether a version passes',
  description:
    'Says of each remote repository that answers for the name whether it lets the version pass, which rule decides, why, and until when. It changes nothing, and fetches no more than the index that says when the version was published.',
  access: 'repository-viewer',
  request: {
    kind: 'json',
    body: object({ packageName: checkedName, version: checkedVersion }),
    example: { packageName: 'axios', version: '1.14.1' },
  },
  answer: { kind: 'json', success: 200, result: checkedVersionSchema },
  errors: [],
  ...reads('documents'),
  // Nothing of what a repository stores itself is read, and no answer is large.
  table: ['PutItem', 'UpdateItem', 'ConditionCheckItem'],
  store: ['GetObject blobs/*', 'PutObject blobs/*', 'GetObject staging/*'],
});

export const listDownloads = contract({
  id: 'packages/list-downloads',
  method: 'GET',
  path: '/1/workspaces/{workspace}/downloads',
  summary: 'List who fetched a version',
  description:
    'The requests for files of a version in all repositories of the workspace, by the log, which goes as far back as the service keeps it. A client that had the file already and asked again is among them; HEAD is not. An image is found by the digest of its manifest; by a tag, the requests that named the tag are found, those with HEAD among them. The order is by time within each of the logs that are searched. A request searches for some seconds, and the next page goes on from there.',
  access: 'workspace-admin',
  query: downloadsQuery,
  answer: { kind: 'json', success: 200, result: downloadPageSchema },
  errors: [],
  table: [],
  readsDownloads: true,
});

const deletion = {
  errors: ['PACKAGE_NOT_FOUND', 'REPOSITORY_READ_ONLY'],
  table: ['Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
} as const;

export const deletePackage = contract({
  id: 'packages/delete-package',
  method: 'DELETE',
  path: `${packages}/{package}`,
  summary: 'Delete a package',
  description:
    'All versions of the package are deleted. A deleted version can only be published again with the same bytes. In a remote repository, the cached versions are deleted; in a virtual repository, those of its upload target. If only another child has the package, the request is refused and the answer names that child. If the deletion of thousands of versions takes too long, the answer is 503: send the request again to continue.',
  access: 'repository-manager',
  answer: { kind: 'json', success: 200, result: deletedSchema },
  ...deletion,
});

export const deletePackageVersion = contract({
  id: 'packages/delete-package-version',
  method: 'DELETE',
  path: `${packages}/{package}/versions/{version}`,
  summary: 'Delete a version of a package',
  description:
    'The files of the version and the tags that name it are deleted with it. It can only be published again with the same bytes. In a remote repository, the cached version is deleted; in a virtual repository, that of its upload target. If only another child has the version, the request is refused and the answer names that child.',
  access: 'repository-manager',
  answer: { kind: 'json', success: 200, result: deletedVersionSchema },
  ...deletion,
  errors: [...deletion.errors, 'VERSION_NOT_FOUND'],
});

export const deleteContent = contract({
  id: 'packages/delete-content',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/repositories/{repository}/content',
  summary: 'Empty a repository',
  description:
    'All packages of a local repository are deleted, or the cache of a remote one. They are unreachable at once. Every version can be published again, with any bytes. The names of a local repository stay its own: a virtual one asks no upstream for them. Only admins of the workspace empty a remote repository with a release gate, which forgets with its cache when it first saw versions.',
  access: 'repository-manager',
  answer: {
    kind: 'json',
    success: 200,
    result: object({ repositoryId: id, status: schema({ type: 'string', enum: ['emptied'] }) }),
  },
  errors: ['REPOSITORY_READ_ONLY'],
  table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
});

export const getRepositoryUsage = contract({
  id: 'packages/get-repository-usage',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories/{repository}/usage',
  summary: 'Get the usage of a repository',
  description: 'The usage of a virtual repository is the sum of the usage of the repositories that it combines.',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: usageSchema },
  errors: [],
  table: ['Query'],
});

export const getWorkspaceUsage = contract({
  id: 'packages/get-workspace-usage',
  method: 'GET',
  path: '/1/workspaces/{workspace}/usage',
  summary: 'Get the usage of a workspace',
  description:
    'Towards the storage limit of the workspace count the sum of `bytes`, `metadataBytes` and `openUploadBytes`; towards its package limit, `packages`.',
  access: 'workspace-member',
  answer: { kind: 'json', success: 200, result: workspaceUsageSchema },
  errors: [],
  table: ['Query'],
});

const publication = {
  access: 'repository-deployer',
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'VERSION_EXISTS', 'QUOTA_EXCEEDED'],
  table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
} as const satisfies Partial<Contract>;

export const publishPackage = contract({
  ...publication,
  id: 'packages/publish-package',
  method: 'POST',
  path: `${packages}/single`,
  summary: 'Publish a package',
  description:
    'For scripts, without a client of the package type: `curl -F packageFiles=@package-1.0.0.tgz …/packages/single`. All files belong to one version. If the package type does not read name and version from the file, send `packageName` and `packageVersion`. If one file is refused, nothing is published.',
  request: {
    kind: 'multipart',
    fileField: 'packageFiles',
    fields: object({ ...versionFields, ...placeFields }, [
      'packageName',
      'packageVersion',
      'distribution',
      'component',
    ]),
    bytesMax: requestBytesMax,
    stagedBytesMax: passedBytesMax,
  },
  answer: { kind: 'json', success: 201, result: publishedFilesSchema },
  idempotencyKey: 'taken',
  errors: [...publication.errors, 'BODY_MALFORMED'],
  store: ['PutObject blobs/*', 'GetObject blobs/*'],
});

export const createUpload = contract({
  id: 'packages/create-upload',
  method: 'POST',
  path: `${packages}/uploads`,
  summary: 'Create an upload session',
  description:
    'For files of any size up to 5 TB. Announce the files with their sizes and SHA-256, send each with PUT to its `uploadUrl` and with its `uploadHeader`, then complete the session. A file above 5 GiB, or above `partSizeInBytes`, is sent in its `parts`: each is a range of bytes of the file, with a URL of its own. A part can be sent again, and parts can be sent at the same time. The URLs need no credential and accept these lengths only.',
  access: 'repository-deployer',
  request: { kind: 'json', body: announcementSchema },
  answer: { kind: 'json', success: 201, result: uploadSchema },
  idempotencyKey: 'taken',
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'QUOTA_EXCEEDED'],
  table: ['Query', 'PutItem'],
  store: ['PutObject staging/*'],
});

export const createUploadUrls = contract({
  id: 'packages/create-upload-urls',
  method: 'POST',
  path: `${packages}/uploads/{upload}/urls`,
  summary: 'Create new URLs for an upload session',
  description:
    'Returns what the session still waits for, with new URLs: the files and the parts that have not arrived. Use it to continue an upload after an interruption or after an hour. Only the user who created the session can send it.',
  access: 'repository-deployer',
  answer: { kind: 'json', success: 200, result: uploadSchema },
  errors: ['UPLOAD_NOT_FOUND'],
  table: [],
  store: ['PutObject staging/*', 'GetObject staging/*', 'ListMultipartUploadParts staging/*'],
});

export const listUploads = contract({
  id: 'packages/list-uploads',
  method: 'GET',
  path: '/1/workspaces/{workspace}/uploads',
  summary: 'List the upload sessions of a workspace',
  description:
    'Those whose announced files count towards the storage limit, by the ID of who created them: all of them for Workspace Admins, and their own for others. Published and deleted sessions are not listed, and neither are uploads of images.',
  access: 'workspace-member',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: openUploadSchema },
  errors: [],
  table: ['Query'],
});

export const deleteUpload = contract({
  id: 'packages/delete-upload',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/uploads/{upload}',
  summary: 'Delete an upload session',
  description:
    'What the session announced no longer counts towards the storage limit, and it cannot be completed any more. Workspace Admins can delete each session that is listed, also when its repository is gone, and others their own.',
  access: 'workspace-member',
  answer: { kind: 'json', success: 200, result: object({ id, status: deleted }) },
  errors: ['UPLOAD_NOT_FOUND'],
  table: ['Query', 'DeleteItem'],
  store: ['DeleteObject staging/*', 'AbortMultipartUpload staging/*'],
});

export const publishUpload = contract({
  ...publication,
  id: 'packages/publish-upload',
  method: 'POST',
  path: `${packages}/uploads/{upload}`,
  summary: 'Complete an upload session',
  description:
    'Publishes the files of the session as one version. The answer is the same if the request is sent again. Only the user who created the session can complete it, within 24 hours. The service reads files that were sent in parts to verify their SHA-256, at some GB per minute: until it has read them, the answer is 503 `FILE_PENDING` with `Retry-After`. Then send the request again; each such request lets the service read for up to 15 minutes, within another 24 hours.',
  answer: { kind: 'json', success: 201, result: publishedFilesSchema },
  errors: [...publication.errors, 'BODY_MALFORMED', 'UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE', 'FILE_PENDING'],
  store: [
    'GetObject staging/*',
    'ListMultipartUploadParts staging/*',
    'DeleteObject staging/*',
    'GetObject blobs/*',
    'PutObject blobs/*',
    'AbortMultipartUpload blobs/*',
  ],
  invokes: ['verifier'],
  isLong: true,
});
