import { actorKinds } from '../../shared/auth/actor.ts';
import { id, nullable, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { packageTypes } from '../../shared/package-types.ts';
import { heldVersions, versionGate } from './gate-schemas.ts';

const size = schema({ type: 'integer', minimum: 0, examples: [1024] });
const count = schema({ type: 'integer', minimum: 0, examples: [1] });
const version = schema({ type: 'string', examples: ['1.0.0'] });
const hash = (digits: number) =>
  schema({ type: 'string', pattern: `^[0-9a-f]{${digits}}$`, examples: ['0'.repeat(digits)] });

/** S3 checks the SHA-256 of a large upload, and nobody reads a large universal file. */
const unread = <const S extends ReturnType<typeof hash>>(field: S) =>
  nullable(schema({ ...field, description: 'Null for a large file that came by an upload session.' }));

const name = schema({
  type: 'string',
  description: 'The name of the package in paths. It is normalised by the rules of the package type.',
  examples: ['tools/formatter'],
});

const listed = {
  id: schema({ ...id, description: 'A UUID that is computed from the repository and the name.' }),
  name,
  displayName: schema({
    type: 'string',
    description: 'The name in the spelling of its first publisher.',
    examples: ['tools/formatter'],
  }),
  latestVersion: schema({
    ...version,
    description: 'The version of the tag `latest`; without that tag, the version that was published last.',
  }),
  versionCount: count,
  sizeInBytes: size,
  updatedAt: timestamp,
} as const;

const listedPackageSchema = { ...object(listed), title: 'ListedPackage' } as const;

export const packagePageSchema = {
  ...object({
    total: schema({
      ...count,
      description:
        'The number of packages. With `search`, at most 1,000 are counted, of the first 5,000 that were ever there. In a virtual repository, a package counts once for each repository that has it.',
    }),
    offset: schema({ ...count, examples: [0] }),
    limit: schema({ ...count, examples: [100] }),
    packages: array(listedPackageSchema),
    nextCursor: nullable(
      schema({
        type: 'string',
        description:
          'The `cursor` of the next page; null on the last page. A page may be short and still have a next one.',
        examples: [null],
      }),
    ),
  }),
  title: 'PackagePage',
} as const;

export const packageSchema = {
  ...object({
    ...listed,
    packageType: schema({ type: 'string', enum: packageTypes, examples: ['universal'] }),
    createdAt: timestamp,
    tags: schema({
      ...array(object({ tag: schema({ type: 'string', examples: ['latest'] }), version })),
      description: 'Of an image, the first 1,000: its own list of tags has all.',
    }),
    heldVersions,
  }),
  title: 'Package',
} as const;

const origin = {
  origin: schema({ type: 'string', enum: ['published', 'fetched'], examples: ['published'] }),
  publishedBy: schema({
    ...object({
      kind: schema({ type: 'string', enum: actorKinds, examples: ['user'] }),
      userId: nullable(schema({ ...id, description: 'Null if the publisher is no user.' })),
      username: schema({
        type: ['string', 'null'],
        description:
          'The name of the user, of the workspace token or of the trust. Tokens without a user are not shown the names of users: null.',
        examples: ['build-bot'],
      }),
      tokenId: nullable(schema({ ...id, description: 'Null if the request came with a password.' })),
    }),
    type: ['object', 'null'],
    description: 'Null if the origin is `fetched`.',
  }),
  fetchedFrom: nullable(
    schema({
      type: 'string',
      description: 'The URL at the upstream; null if the origin is `published`.',
      examples: [null],
    }),
  ),
} as const;

const listedVersion = {
  id: schema({ ...id, description: 'A UUID that is computed from the package and the version.' }),
  version,
  sizeInBytes: size,
  fileCount: count,
  createdAt: timestamp,
  gate: versionGate,
  ...origin,
} as const;

export const listedVersionSchema = { ...object(listedVersion), title: 'ListedPackageVersion' } as const;

export const packageVersionSchema = {
  ...object({
    ...listedVersion,
    packageName: name,
    files: array(
      object({
        name: schema({ type: 'string', examples: ['formatter.zip'] }),
        sizeInBytes: size,
        mediaType: schema({ type: 'string', examples: ['application/octet-stream'] }),
        sha256: hash(64),
        sha512: unread(hash(128)),
        sha1: unread(hash(40)),
        md5: unread(hash(32)),
        createdAt: timestamp,
        ...origin,
      }),
    ),
  }),
  title: 'PackageVersion',
} as const;

const usage = {
  bytes: schema({ ...size, description: 'The bytes of files.', examples: [0] }),
  files: schema({ ...count, examples: [0] }),
  packages: schema({ ...count, examples: [0] }),
  metadataBytes: schema({
    ...size,
    description:
      'The metadata of versions in indexes, before compression. They count towards the storage limit of the workspace, as the bytes of files.',
    examples: [0],
  }),
} as const;

export const usageSchema = { ...object(usage), title: 'Usage' } as const;

export const workspaceUsageSchema = {
  ...object({
    ...usage,
    openUploadBytes: schema({
      ...size,
      description: 'What was announced or sent to uploads that are not complete. It counts towards the storage limit.',
      examples: [0],
    }),
  }),
  title: 'WorkspaceUsage',
} as const;

export const deletedSchema = {
  ...object({ packageName: name, status: schema({ type: 'string', enum: ['deleted'] }) }),
  title: 'DeletedPackage',
} as const;

export const deletedVersionSchema = {
  ...object({ packageName: name, version, status: schema({ type: 'string', enum: ['deleted'] }) }),
  title: 'DeletedPackageVersion',
} as const;
