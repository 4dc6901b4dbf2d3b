import { createTrust } from '../../functions/trusts/contracts.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import type { Fixture } from './fixture.ts';
import { uniqueName } from './world.ts';

type NewTrustBody = BodyOf<typeof createTrust>;

/** The URL of the service, as the audience of identity tokens. */
export const audience = 'https://stockroom.example.com';

/** The body of a trust in the workflows of one repository of GitHub. */
export const trustBody = (repository: { readonly id: string }, fields: Partial<NewTrustBody> = {}): NewTrustBody => ({
  name: uniqueName('trust'),
  provider: 'github',
  audience,
  conditions: [{ claim: 'repository_id', equals: '123456789' }],
  repositories: [{ repositoryReference: repository.id, repositoryPermissionLevel: 'canDeploy' }],
  ...fields,
});

/** A trust on the repository of a fixture. */
export const trustOf = (
  { client, workspace, repository, systemAdmin }: Pick<Fixture, 'client' | 'workspace' | 'repository' | 'systemAdmin'>,
  fields: Partial<NewTrustBody> = {},
) =>
  client.succeed(createTrust, {
    params: { workspace: workspace.id },
    body: trustBody(repository, fields),
    as: systemAdmin.bearer,
  });
