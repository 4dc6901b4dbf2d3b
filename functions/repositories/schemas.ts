import { id, nullable, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { packageTypes } from '../../shared/package-types.ts';
import { shownGate } from './gate-settings.ts';

export const name = schema({
  type: 'string',
  pattern: '^[a-z0-9-]{1,30}$',
  allowed: '1 to 30 lowercase letters, digits and hyphens',
  description: 'Unique in its workspace. It never changes.',
  examples: ['npm-local'],
});

export const packageType = schema({ type: 'string', enum: packageTypes, examples: ['npm'] });

const revalidation = schema({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  allowed: 'a whole number of milliseconds from 0 to 9007199254740991, or null: cache indefinitely',
  description:
    'The number of milliseconds after which cached content must be revalidated. If it is null or absent, cached content stays valid.',
  examples: [3_600_000],
});

/** The fields of the upstream, in the creation and in the update of a remote repository. */
export const upstream = {
  remoteRepositoryUrl: schema({
    type: 'string',
    minLength: 1,
    maxLength: 2048,
    allowed: 'an absolute http or https URL of at most 2048 characters',
    description: 'For the package type universal, the path must contain {package-name}, {version} and {file}.',
    examples: ['https://registry.npmjs.org/'],
  }),
  remoteRepositoryUsername: nullable(
    schema({
      type: 'string',
      maxLength: 1024,
      description: 'An empty text means none.',
      examples: ['ci'],
    }),
  ),
  remoteRepositoryPassword: nullable(
    schema({
      type: 'string',
      format: 'password',
      maxLength: 1024,
      writeOnly: true,
      description: 'An empty text means none. It is stored encrypted, and no read returns it.',
      examples: ['an upstream password'],
    }),
  ),
  isRemoteCacheEnabled: schema({ type: 'boolean', examples: [true] }),
  fileCacheTimeTillRevalidation: revalidation,
  metadataCacheTimeTillRevalidation: revalidation,
} as const;

/** The fields of the children, in the creation and in the update of a virtual repository. */
export const listing = {
  childRepositoryIds: schema({
    type: 'array',
    items: { type: 'string', maxLength: 100, allowed: 'the ID of a repository' },
    minItems: 1,
    maxItems: 90,
    allowed: 'an array of 1 to 90 IDs of repositories of this workspace',
    description:
      'The repositories in the order of resolution. Each must be in this workspace and have the same package type. With all that virtual ones among them combine, they are at most 100.',
    examples: [['0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11']],
  }),
  uploadLocalRepositoryId: nullable(
    schema({
      type: 'string',
      maxLength: 100,
      allowed: 'the ID of a local repository that childRepositoryIds lists',
      description: 'The local repository that receives uploads; childRepositoryIds must list it.',
      examples: ['0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'],
    }),
  ),
} as const;

const packageNames = (description: string, example: string) =>
  schema({
    type: 'array',
    items: {
      type: 'string',
      pattern: '^([^*\\u0000-\\u001f]{1,254}\\*?|\\*)$',
      allowed: "a package name, or the beginning of package names and '*', of at most 255 characters",
    },
    maxItems: 100,
    description,
    examples: [[example]],
  });

const upstreamNameLists = {
  allow: packageNames('Also fetched from remote children although a local child holds the name.', 'left-pad'),
  block: packageNames('Never fetched from remote children. This counts more than `allow`.', '@acme/*'),
} as const;

/** The rules for names, in the update of a virtual repository. */
export const nameRules = {
  upstreamNames: schema({
    ...object(upstreamNameLists, ['allow', 'block']),
    type: ['object', 'null'],
    allowed: 'an object with the lists allow and block, or null: no rules',
    description:
      'Names that remote children may or must not be asked for: each a package name, or the beginning of names and `*`. By default, a name that a local child holds, or ever held, is answered by local children alone. Here, an absent list stays as it is.',
  }),
} as const;

const common = {
  id,
  name,
  packageType,
  status: schema({ type: 'string', enum: ['active'] }),
  workspaceId: id,
  createdAt: timestamp,
  createdBy: schema({ ...id, description: 'The ID of the user who created it.' }),
} as const;

const nameOfId = object({ id, name });

const localRecord = object({
  ...common,
  repositoryType: schema({ type: 'string', enum: ['local'] }),
});
export const localRepositorySchema = { ...localRecord, title: 'LocalRepository' } as const;

/** The warning of a remote repository whose upstream is asked without TLS. */
export const unencryptedUpstream =
  'remoteRepositoryUrl is http: whoever is between this service and the upstream can change what arrives. Use https if the upstream offers it.';

const { remoteRepositoryPassword: _writeOnly, ...readUpstream } = upstream;

const remoteRecord = object(
  {
    ...common,
    name: schema({ ...name, examples: ['npmjs'] }),
    repositoryType: schema({ type: 'string', enum: ['remote'] }),
    ...readUpstream,
    releaseGate: shownGate,
    hasRemoteRepositoryPassword: schema({ type: 'boolean', examples: [true] }),
    warnings: schema({
      type: 'array',
      items: { type: 'string' },
      description: 'What is dangerous about these settings, in sentences. It is absent if nothing is.',
      examples: [[unencryptedUpstream]],
    }),
  },
  ['releaseGate', 'warnings'],
);
export const remoteRepositorySchema = { ...remoteRecord, title: 'RemoteRepository' } as const;

const createdRemoteRecord = object(
  {
    ...remoteRecord.properties,
    remoteRepositoryPassword: schema({
      type: 'string',
      format: 'password',
      description:
        'The password exactly as this request sent it. It is absent unless the operator has turned on `echoUpstreamPassword`, and no other answer ever contains it.',
      examples: ['an upstream password'],
    }),
  },
  ['remoteRepositoryPassword', 'releaseGate', 'warnings'],
);
export const createdRemoteRepositorySchema = { ...createdRemoteRecord, title: 'CreatedRemoteRepository' } as const;

const virtualRecord = object(
  {
    ...common,
    name: schema({ ...name, examples: ['npm'] }),
    repositoryType: schema({ type: 'string', enum: ['virtual'] }),
    childRepositoryIds: schema({ ...listing.childRepositoryIds, items: id }),
    childRepositories: array(nameOfId),
    uploadLocalRepositoryId: nullable(id),
    uploadTargetLocalRepository: schema({ ...nameOfId, type: ['object', 'null'] }),
    upstreamNames: schema({
      ...object(upstreamNameLists),
      description: 'Names that remote children may or must not be asked for. It is absent if there are none.',
    }),
  },
  ['upstreamNames'],
);
export const virtualRepositorySchema = { ...virtualRecord, title: 'VirtualRepository' } as const;

export const repositorySchema = schema({
  oneOf: [localRepositorySchema, remoteRepositorySchema, virtualRepositorySchema],
});
