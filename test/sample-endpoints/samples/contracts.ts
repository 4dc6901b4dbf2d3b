import { contract } from '../../../shared/http/contract.ts';
import { object, schema } from '../../../shared/http/schema.ts';

// Endpoints of the kinds that the service itself does not have yet, for the tests of what all endpoints share.
const place = '/samples/{workspace}/{repository}';

/** The most bytes of a body that the samples take. */
export const sampleBytesMax = 1_000_000;

/** A sample with more bytes than this is served from elsewhere. */
export const inlineBytesMax = 1000;

const storedSample = object({
  name: schema({ type: 'string', examples: ['name/1.0.0'] }),
  sizeInBytes: schema({ type: 'integer', examples: [4] }),
  sha256: schema({ type: 'string', examples: ['ab'.repeat(32)] }),
});

export const getSample = contract({
  id: 'samples/get-sample',
  method: 'GET',
  head: true,
  path: `${place}/{path+}`,
  summary: 'Get a sample',
  access: 'repository-viewer',
  answer: [
    { kind: 'bytes', success: 200, mediaTypes: ['application/octet-stream'], description: 'The bytes.' },
    { kind: 'redirect', description: 'Where the bytes are.' },
  ],
  errors: [],
  table: [],
  store: ['GetObject staging/*'],
});

export const putSample = contract({
  id: 'samples/put-sample',
  method: 'PUT',
  path: `${place}/{path+}`,
  summary: 'Stage a sample',
  access: 'repository-deployer',
  request: { kind: 'bytes', mediaTypes: ['application/octet-stream', 'text/plain'], bytesMax: sampleBytesMax },
  answer: { kind: 'json', success: 201, result: storedSample },
  errors: [],
  table: [],
  store: ['PutObject staging/*'],
});

export const addSamples = contract({
  id: 'samples/add-samples',
  method: 'POST',
  path: place,
  summary: 'Add several samples',
  access: 'repository-deployer',
  request: {
    kind: 'multipart',
    fileField: 'sampleFiles',
    fields: object(
      {
        label: schema({ type: 'string', pattern: '^[a-z]+$', allowed: 'lowercase letters', examples: ['new'] }),
        note: schema({ type: 'string', maxLength: 100, examples: ['As of today.'] }),
      },
      ['note'],
    ),
    bytesMax: sampleBytesMax,
  },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      label: schema({ type: 'string', examples: ['new'] }),
      samples: { type: 'array', items: storedSample },
    }),
  },
  errors: [],
  table: ['PutItem'],
  store: ['PutObject blobs/*'],
});

/** Takes a form as the clients of a package type send it, and says what it read. */
export const addForm = contract({
  id: 'samples/add-form',
  method: 'PUT',
  path: place,
  summary: 'Read a form',
  access: 'repository-deployer',
  request: { kind: 'form', fileFields: ['content', 'signature'], bytesMax: sampleBytesMax },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      fields: { type: 'array', items: schema({ type: 'string', examples: ['requires=one'] }) },
      files: { type: 'array', items: schema({ type: 'string', examples: ['content: a.whl 4'] }) },
    }),
  },
  errors: [],
  table: [],
});

/** Tries what it has no right to. */
export const deleteSample = contract({
  id: 'samples/delete-sample',
  method: 'DELETE',
  path: `${place}/{path+}`,
  summary: 'Fail to delete a sample',
  access: 'repository-manager',
  query: object({ of: schema({ type: 'string', enum: ['store', 'table', 'blob'] }) }),
  answer: { kind: 'json', success: 200, result: object({}) },
  errors: [],
  table: [],
  store: ['PutObject blobs/*'],
});
