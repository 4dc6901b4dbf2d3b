/** What stands before the operations. */
export const overview = `A **workspace** holds **repositories**: local ones store packages, remote ones proxy an upstream, virtual ones combine
several under one name. Users are **members** of a workspace and hold a permission level on each repository; builds call
with **personal access tokens**.

### Conventions

- Bodies are one JSON object in UTF-8, at most 64 KiB, with \`Content-Type: application/json\`. Unknown fields are refused,
  nothing is coerced, and all violations are told at once.
- IDs are UUIDs. Wherever a path names a workspace, a repository or a user, its ID and its name are both understood.
- A list is a JSON array, ordered by name and complete as of the last acknowledged write. With \`?limit=\` it comes in
  pages: follow the \`Link\` header with \`rel="next"\`.
- Times are RFC 3339 in UTC with milliseconds.
- Secrets are write-only: a token is told once, when it is created; a password never.
- Every answer carries \`X-Request-Id\`. Every refusal is a problem body (RFC 9457) and changes nothing.

### Authentication

Send a credential in the \`Authorization\` header, in one of three forms that mean the same: \`Bearer <token>\`; Basic with
the username \`token\` and a token as the password; Basic with the username and password of a user. A revoked token, a
disabled user or a changed password is refused from the next request on.

### Errors

Every refusal has a \`code\` and a \`type\`, a URN that names the kind of problem and never changes:
\`urn:stockroom:problem:\` and the code in lower case with hyphens. It is a name, not an address. The reference page says
for each what it means and what to do; so do the responses below.`;

/** The groups of operations, in the order of the document: the folders of the endpoints. */
export const tags: Readonly<Record<string, { readonly title: string; readonly description: string }>> = {
  workspaces: {
    title: 'Workspaces',
    description: 'The tenants. Who is no member of a workspace does not learn that it exists.',
  },
  repositories: {
    title: 'Repositories',
    description: 'Local, remote and virtual repositories of 15 package types. Names are unique in their workspace.',
  },
  members: {
    title: 'Members',
    description:
      'Who belongs to a workspace, as admin or member, and who may view, deploy to or manage which repository.',
  },
  users: { title: 'Users', description: 'The people and machines that call.' },
  tokens: {
    title: 'Personal access tokens',
    description: 'What builds authenticate with. A token may do what its user may do, until it expires or is deleted.',
  },
  system: { title: 'System', description: 'Health, and this reference. Open to everybody.' },
};

/** The parameters of paths. */
export const pathParameters: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  workspace: { description: 'The ID or name of a workspace.', example: 'acme' },
  repository: { description: 'The ID or name of a repository of the workspace.', example: 'npm-local' },
  user: { description: 'The ID or username of a user.', example: 'build-bot' },
  tokenId: { description: 'The ID of a personal access token.', example: '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11' },
};

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
      'For clients that only know Basic: the username is literally `token`, the password is a personal access token.',
  },
  account: { type: 'http', scheme: 'basic', description: 'The username and password of a user.' },
} as const;
