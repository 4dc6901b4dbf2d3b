import { type Contract, contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { objectBytesMax, requestBytesMax } from '../../shared/limits.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { fileRedirect, waitParameter } from '../../shared/packages/serve/wait-redirects.ts';
import { publishes, reads } from '../../shared/packages/types/endpoint-rights.ts';

const path = '/v2/{workspace}/{repository}/{path+}';

const blob = {
  kind: 'bytes',
  bytesMax: requestBytesMax,
  stagedBytesMax: objectBytesMax,
  hashes: ['sha256'],
  takesParts: true,
} as const;

const plain = 'text/plain; charset=utf-8';

// API Gateway takes 10 kB of request line and headers, and a character may need twelve bytes.
const text = (maxLength: number, example: string) => schema({ type: 'string', maxLength, examples: [example] });

const digest = text(200, `sha256:${'0'.repeat(64)}`);
const state = text(100, '1.MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA');

const uploadHeaders = ['Location', 'Range', 'Docker-Upload-UUID', 'OCI-Chunk-Min-Length'] as const;
const storedHeaders = ['Location', 'Docker-Content-Digest'] as const;

export const getRegistry = contract({
  id: 'docker/get-registry',
  method: 'GET',
  head: true,
  path: '/v2',
  summary: 'Check the credential for the registry of images',
  description: '`docker login` and most clients send this request first.',
  access: 'caller',
  query: object({ ns: text(255, 'docker.io') }, ['ns']),
  answer: {
    kind: 'bytes',
    success: 200,
    mediaTypes: ['application/json'],
    headers: ['Docker-Distribution-API-Version'],
    description: 'The registry is there, and the credential is valid.',
  },
  errors: [],
  table: [],
});

export const getImageContent = contract({
  id: 'docker/get-image-content',
  method: 'GET',
  head: true,
  path,
  summary: 'Get a manifest, a blob, the tags or the referrers of an image',
  description:
    'The distribution API of OCI 1.1. The path is the image, and then `manifests/{tag or digest}`, `blobs/{digest}`, `tags/list`, `referrers/{digest}` or, to ask how far an upload has come, the address of the upload.',
  access: 'repository-viewer',
  query: object(
    {
      ...waitParameter,
      n: schema({ type: 'integer', minimum: 0, examples: [100] }),
      last: text(128, '1.0'),
      artifactType: text(300, 'application/spdx+json'),
      ns: text(255, 'docker.io'),
      state,
      digest,
    },
    ['wait', 'n', 'last', 'artifactType', 'ns', 'state', 'digest'],
  ),
  answer: [
    {
      kind: 'bytes',
      success: [200, 204],
      mediaTypes: [
        'application/vnd.oci.image.manifest.v1+json',
        'application/vnd.oci.image.index.v1+json',
        'application/vnd.docker.distribution.manifest.v2+json',
        'application/vnd.docker.distribution.manifest.list.v2+json',
        'application/json',
        fileMediaType,
        plain,
      ],
      headers: ['Docker-Content-Digest', 'OCI-Filters-Applied', 'Link', ...uploadHeaders],
      description: 'The manifest, the blob or the list.',
    },
    { ...fileRedirect('the blob'), headers: ['Docker-Content-Digest'] },
  ],
  errors: [
    'PACKAGE_INVALID',
    'REPOSITORY_READ_ONLY',
    'PACKAGE_NOT_FOUND',
    'VERSION_BLOCKED',
    'VERSION_NOT_FOUND',
    'FILE_NOT_FOUND',
    'UPLOAD_NOT_FOUND',
  ],
  ...reads('files', 'documents'),
  isHot: true,
});

/** What storing a blob needs. */
const storing = {
  ...publishes(),
} as const satisfies Partial<Contract>;

export const createBlobUpload = contract({
  id: 'docker/create-blob-upload',
  method: 'POST',
  path,
  summary: 'Begin to send a blob',
  description:
    'The path is the image and `blobs/uploads/`. The answer says where the upload goes on. With `digest`, the body is the whole blob. With `mount` and `from`, a blob of another image of the workspace is taken over, if the caller may read it.',
  access: 'repository-deployer',
  query: object(
    { digest, mount: digest, from: text(600, 'acme/images/base'), 'digest-algorithm': text(20, 'sha256') },
    ['digest', 'mount', 'from', 'digest-algorithm'],
  ),
  request: blob,
  answer: {
    kind: 'bytes',
    success: [201, 202],
    mediaTypes: [plain],
    headers: [...uploadHeaders, ...storedHeaders],
    description: 'The answer has no body.',
  },
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'QUOTA_EXCEEDED'],
  ...storing,
});

export const updateBlobUpload = contract({
  id: 'docker/update-blob-upload',
  method: 'PATCH',
  path,
  summary: 'Send a part of a blob',
  description:
    'The address is that of the last answer about this upload. A `Content-Range` must begin where the upload ends; without one, the bytes are those that follow.',
  access: 'repository-deployer',
  query: object({ state }, ['state']),
  request: { ...blob, keepsBody: true },
  answer: {
    kind: 'bytes',
    success: 202,
    mediaTypes: [plain],
    headers: uploadHeaders,
    description: 'The answer has no body.',
  },
  errors: ['PACKAGE_INVALID', 'REPOSITORY_READ_ONLY', 'UPLOAD_NOT_FOUND', 'UPLOAD_RANGE_INVALID', 'QUOTA_EXCEEDED'],
  table: ['Query', 'PutItem', 'UpdateItem'],
  store: ['PutObject staging/*', 'GetObject staging/*', 'DeleteObject staging/*'],
});

export const publishImageContent = contract({
  id: 'docker/publish-image-content',
  method: 'PUT',
  path,
  summary: 'Publish a manifest, or complete a blob',
  description:
    '`manifests/{tag or digest}` takes a manifest whose blobs the image has, and moves the tag. Through a virtual repository, those that another child has are taken over. The address of an upload, with `digest`, ends it: the bytes that were sent, and the body behind them, must have this digest.',
  access: 'repository-deployer',
  query: object({ digest, state: state }, ['digest', 'state']),
  request: blob,
  answer: {
    kind: 'bytes',
    success: 201,
    mediaTypes: [plain],
    headers: [...storedHeaders, 'OCI-Subject'],
    description: 'The answer has no body.',
  },
  errors: [
    'BODY_MALFORMED',
    'PACKAGE_INVALID',
    'REPOSITORY_READ_ONLY',
    'VERSION_NOT_FOUND',
    'UPLOAD_NOT_FOUND',
    'UPLOAD_RANGE_INVALID',
    'VERSION_EXISTS',
    'QUOTA_EXCEEDED',
  ],
  table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  store: [
    'PutObject blobs/*',
    'GetObject blobs/*',
    'PutObject staging/*',
    'GetObject staging/*',
    'DeleteObject staging/*',
    'AbortMultipartUpload staging/*',
    'AbortMultipartUpload blobs/*',
  ],
  // What a manifest from an upstream names is fetched from there.
  decrypts: true,
  invokes: ['fetcher'],
});

export const deleteImageContent = contract({
  id: 'docker/delete-image-content',
  method: 'DELETE',
  path,
  summary: 'Delete a manifest, a tag, a blob or an upload',
  description:
    'Only users with canManage may delete `manifests/{tag or digest}` and `blobs/{digest}`. With a manifest go its tags. Blobs that no manifest names are deleted by themselves after a day. The address of an upload ends the upload, and needs canDeploy.',
  access: 'repository-deployer',
  query: object({ state: state }, ['state']),
  answer: {
    kind: 'bytes',
    success: [202, 204],
    mediaTypes: [plain],
    description: 'The answer has no body.',
  },
  errors: [
    'PACKAGE_INVALID',
    'REPOSITORY_READ_ONLY',
    'PACKAGE_NOT_FOUND',
    'VERSION_NOT_FOUND',
    'FILE_NOT_FOUND',
    'UPLOAD_NOT_FOUND',
  ],
  table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  store: ['GetObject blobs/*', 'DeleteObject staging/*'],
});
