import { consoleHeader } from '../http/console-header.ts';

/** The introduction of the document. */
export const overview = `A **workspace** contains **repositories**: local ones store packages, remote ones proxy an upstream, and virtual ones
combine several repositories under one name. Users are **members** of workspaces and have a permission level on each
repository. Builds authenticate with **personal access tokens**.

### Conventions

- A request body is one JSON object in UTF-8, at most 64 KiB, with \`Content-Type: application/json\`. The service refuses unknown
  fields, converts no value to another type, and reports all violations at once, up to 100.
- IDs are UUIDs. A path takes the ID or the name of a workspace, a repository or a user.
- A list is a JSON array, ordered by name. It contains every change that was acknowledged before the request. With \`?limit=\`, the
  list is divided into pages: follow the \`Link\` header with \`rel="next"\` until there is none. A page before the end can be
  short, or even empty.
- The requests that create take an \`Idempotency-Key\`. If you send the same request with the same key again within 24 hours, for
  example because its answer was lost, the answer is \`201\` with what the first one created, as that is now. Other \`POST\` requests
  can be sent again as they are, except the one that creates a token: its answer contains a secret, so it refuses the header.
- Times are in UTC with milliseconds (RFC 3339).
- Secrets are write-only: a token is shown only once, when it is created, and a password is never shown.
- Every answer has an \`X-Request-Id\` header. Every refusal is a problem body (RFC 9457), and a refused request changes nothing.

### Authentication

Send a credential in the \`Authorization\` header. Three forms are equivalent: \`Bearer <token>\`; Basic with the username \`token\`
and a token as the password; Basic with the username and the password of a user. When a token is revoked, a user is disabled or a
password is changed, the service refuses the next request with the old credential. A pipeline needs no stored token:
\`POST /1/tokens/exchange\` gives it one for its identity, as a trust of the workspace says.

### Errors

Every refusal has a \`code\` and a \`type\`. The type is a URN that identifies the kind of problem and never changes:
\`urn:stockroom:problem:\` and the code in lower case with hyphens. It is a name, not an address. The reference page and the
responses below say what each kind means and what to do.`;

/** The words of the document that depend on the endpoints. */
export interface Words {
  /** The groups of operations, in the order of the document: the folders of the endpoints. */
  readonly tags: Readonly<Record<string, { readonly title: string; readonly description: string }>>;
  /** The parameters of paths. */
  readonly pathParameters: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** The headers that the refusals of an operation may have beside those of all, by its group. */
  readonly refusalHeaders: Readonly<Record<string, readonly string[]>>;
}

/** The groups of all endpoints but those of package types, which bring their own words. */
export const tags = {
  workspaces: {
    title: 'Workspaces',
    description: 'The tenants. Users who are not members of a workspace cannot find out that it exists.',
  },
  repositories: {
    title: 'Repositories',
    description:
      'Local, remote and virtual repositories of 15 package types. The name of a repository is unique in its workspace.',
  },
  packages: {
    title: 'Packages',
    description:
      'What repositories hold, of every package type. A name in a path is percent-encoded, slashes included.',
  },
  members: {
    title: 'Members',
    description:
      'The users who belong to a workspace as admins or members, and their permission levels on its repositories.',
  },
  users: { title: 'Users', description: 'The people and the machines that use the service.' },
  tokens: {
    title: 'Tokens',
    description:
      'The credentials of builds. A personal access token has the permissions of its user, a workspace token those that it was given, until it expires, is rotated or is deleted.',
  },
  sessions: {
    title: 'Sessions',
    description:
      'Browsers that are signed in to the console. A cookie renews the token of a quarter of an hour that the page keeps in its memory, and can do nothing else.',
  },
  trusts: {
    title: 'Trusts',
    description:
      'Short tokens for pipelines that prove who they are: a trust says which identity tokens of GitHub Actions, GitLab CI, CircleCI, Buildkite or another issuer it accepts, and what they get.',
  },
  verdicts: {
    title: 'Verdicts',
    description:
      'What the admins of a workspace decided about versions of packages at upstreams: nobody gets them, or everybody does, whatever the release gates of remote repositories say.',
  },
  advisories: {
    title: 'Advisories',
    description:
      'What is publicly known of malware and vulnerabilities in packages, imported from osv.dev. The release gates of remote repositories block malware, and what they are told to block.',
  },
  audit: {
    title: 'Record of changes',
    description:
      'Who changed what, when and from where. Each change writes its record in the same transaction, and the operator chooses how long records are kept.',
  },
  console: {
    title: 'Console',
    description: 'The page for people, and its script. It calls the same endpoints as everybody.',
  },
  system: { title: 'System', description: 'The health checks and this reference. They need no credential.' },
} satisfies Words['tags'];

/** The parameters of paths that no package type has for itself. */
export const pathParameters: Words['pathParameters'] = {
  workspace: { description: 'The ID or name of a workspace.', example: 'acme' },
  repository: { description: 'The ID or name of a repository of the workspace.', example: 'npm-local' },
  package: { description: 'The name of a package, percent-encoded.', example: 'tools/formatter' },
  packageType: { description: 'A package type with a release gate.', example: 'composer' },
  version: { description: 'A version of the package.', example: '1.0.0' },
  upload: { description: 'The ID of an upload session.', example: '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11' },
  path: {
    description: 'The rest of the path, as the package type understands it.',
    example: 'tools/formatter/1.0.0/formatter.zip',
  },
  user: { description: 'The ID or username of a user.', example: 'build-bot' },
  import: { description: 'The ID of an import of advisories.', example: '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11' },
  session: { description: 'The ID of a session.', example: '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11' },
  script: {
    description: 'The name of the script, which the console contains.',
    example: 'console-0123456789abcdef.js',
  },
  trust: { description: 'The ID or name of a trust of the workspace.', example: 'release' },
  tokenId: { description: 'The ID of a token.', example: '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11' },
};

/** The header of requests that create. It has no example: the reference page would send that with each request. */
export const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text that you choose for this request and send with each of its attempts, such as a random UUID. It is kept for 24 hours, and belongs to its caller, its path and its body.',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[ -~]+$' },
} as const;

/** What a page sends with the cookie of a session. */
export const consoleParameters = [
  {
    name: consoleHeader,
    in: 'header',
    required: true,
    description: 'Says that a page of this service sends the request: no page of another site can.',
    schema: { type: 'string', const: '1' },
    example: '1',
  },
  {
    name: 'stockroom',
    in: 'cookie',
    required: false,
    description: 'The cookie of the session. Over HTTPS its name is `__Host-stockroom`.',
    schema: { type: 'string' },
  },
] as const;

/** The three forms of credentials. */
export const securitySchemes = {
  bearerToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal access token: `Authorization: Bearer str_pat_…`',
  },
  tokenAsPassword: {
    type: 'http',
    scheme: 'basic',
    description:
      'For clients that support only Basic: the username is `token`, and the password is a personal access token.',
  },
  account: { type: 'http', scheme: 'basic', description: 'The username and password of a user.' },
} as const;
