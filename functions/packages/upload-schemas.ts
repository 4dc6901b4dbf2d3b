import { actorKinds } from '../../shared/auth/actor.ts';
import { id, nullable, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { filesMax, partBytesMax, partBytesMin, partsMax, uploadBytesMax } from './upload-limits.ts';

/** The fields that name a version. */
export const versionFields = {
  packageName: schema({
    type: 'string',
    minLength: 1,
    maxLength: 900,
    description: 'The name of the package. Send it only if the package type does not read it from the file.',
    examples: ['tools/formatter'],
  }),
  packageVersion: schema({
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'The version. Send it only if the package type does not read it from the file.',
    examples: ['1.0.0'],
  }),
} as const;

const place = (what: string, example: string) =>
  schema({
    type: 'string',
    minLength: 1,
    maxLength: 50,
    description: `The ${what} that lists the version. Send it only if the package type has ${what}s; without it, that is ${example}.`,
    examples: [example],
  });

/** The fields that say where a version is listed. */
export const placeFields = {
  distribution: place('distribution', 'stable'),
  component: place('component', 'main'),
} as const;

const announced = {
  name: schema({ type: 'string', minLength: 1, maxLength: 255, examples: ['formatter.zip'] }),
  sizeInBytes: schema({ type: 'integer', minimum: 0, maximum: uploadBytesMax, examples: [104_857_600] }),
  sha256: schema({
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    allowed: 'the SHA-256 of the file: 64 hexadecimal digits in lower case, as sha256sum prints them',
    examples: ['0'.repeat(64)],
  }),
} as const;

const partSizeSchema = schema({
  type: 'integer',
  minimum: partBytesMin,
  maximum: partBytesMax,
  description:
    'Files above this size are sent in parts of it, each by a request of its own that can be repeated. By default, only files above 5 GiB are sent in parts.',
  examples: [268_435_456],
});

export const announcementSchema = object(
  {
    packageName: nullable(versionFields.packageName),
    packageVersion: nullable(versionFields.packageVersion),
    distribution: nullable(placeFields.distribution),
    component: nullable(placeFields.component),
    partSizeInBytes: nullable(partSizeSchema),
    files: array(object(announced), { minItems: 1, maxItems: filesMax }),
  },
  ['packageName', 'packageVersion', 'distribution', 'component', 'partSizeInBytes'],
);

const partSchema = object({
  number: schema({ type: 'integer', minimum: 1, maximum: partsMax, examples: [1] }),
  offsetInBytes: schema({
    type: 'integer',
    minimum: 0,
    description: 'Where the part begins in the file.',
    examples: [0],
  }),
  sizeInBytes: schema({ type: 'integer', minimum: 1, maximum: partBytesMax, examples: [268_435_456] }),
  uploadUrl: schema({
    type: 'string',
    description: 'The URL for the PUT of these bytes of the file. The upload must begin within one hour.',
    examples: [
      'https://bucket.s3.eu-central-1.amazonaws.com/staging/0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11-0?partNumber=1&uploadId=id',
    ],
  }),
});

export const uploadSchema = {
  ...object({
    id,
    expiresAt: schema({ ...timestamp, description: 'The session can be completed until then.' }),
    files: array(
      object({
        ...announced,
        uploadUrl: schema({
          type: ['string', 'null'],
          description:
            'The URL for the PUT of the file; null if the file is sent in parts. The upload must begin within one hour.',
          examples: ['https://bucket.s3.eu-central-1.amazonaws.com/staging/0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11-0'],
        }),
        uploadHeader: schema({
          type: ['string', 'null'],
          description: 'The header that the PUT must have; null if the file is sent in parts.',
          examples: [`x-amz-checksum-sha256: ${Buffer.alloc(32).toString('base64')}`],
        }),
        parts: array(partSchema),
      }),
    ),
  }),
  title: 'Upload',
} as const;

/** A session in the list of those that count towards the storage limit. */
export const openUploadSchema = {
  ...object({
    id,
    sizeInBytes: schema({ ...announced.sizeInBytes, description: 'The size of all files that the session announced.' }),
    actor: {
      ...object({
        kind: schema({ type: 'string', enum: actorKinds, examples: ['user'] }),
        id: schema({ ...id, description: 'The ID of the user, of the workspace token or of the trust.' }),
        name: schema({
          type: 'string',
          description: 'The username, or the name of the workspace token or of the trust.',
          examples: ['build-bot'],
        }),
        tokenId: nullable(schema({ ...id, description: 'The token of the request; null if it came with a password.' })),
      }),
      type: ['object', 'null'],
      description: 'Who created the session; null if an earlier release did.',
    } as const,
    repositoryId: nullable(
      schema({ ...id, description: 'The repository of the session; null if an earlier release created it.' }),
    ),
    createdAt: timestamp,
    countsUntil: schema({
      ...timestamp,
      description:
        'What the session announced counts towards the storage limit until then, unless it is published or deleted before.',
    }),
  }),
  title: 'OpenUpload',
} as const;

export const publishedFilesSchema = array({
  ...object({
    packageFileName: schema({ type: 'string', examples: ['formatter.zip'] }),
    isSucceeded: schema({ type: 'boolean', examples: [true] }),
    createdPackages: array(
      object({
        packageId: id,
        versionId: id,
        link: schema({
          type: 'string',
          description: 'The URL of the version in this API.',
          examples: [
            'https://stockroom.example.com/1/workspaces/acme/repositories/files/packages/tools%2Fformatter/versions/1.0.0',
          ],
        }),
      }),
    ),
  }),
  title: 'PublishedFile',
} as const);
