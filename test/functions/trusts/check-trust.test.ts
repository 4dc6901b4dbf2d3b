import { checkTrust } from '../../../functions/trusts/contracts.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { trustOf, useIssuer } from '../../harness/trusts.ts';

const service = useService();
const issuer = useIssuer();
let fixture: Fixture;
let trust: string;
beforeAll(async () => {
  fixture = await buildFixture(service);
  const conditions = [
    { claim: 'repository_id', equals: '123456789' },
    { claim: 'sub', matches: 'repo:acme/app:ref:refs/heads/*' },
  ];
  trust = (await trustOf(fixture, { issuer: issuer.url, conditions })).id;
});

const check = (body: object) =>
  service.client.attempt(checkTrust, {
    params: { workspace: fixture.workspace.id, trust },
    body,
    as: fixture.workspaceAdmin.bearer,
  });

describe('A dry run', () => {
  it('with a token says that it is verified, and that each condition holds', async () => {
    const { result } = await check({ token: issuer.token() });
    expect(result).toEqual({
      isAccepted: true,
      isVerified: true,
      reason: null,
      conditions: [
        { claim: 'repository_id', equals: '123456789', found: '123456789', holds: true },
        {
          claim: 'sub',
          matches: 'repo:acme/app:ref:refs/heads/*',
          found: 'repo:acme/app:ref:refs/heads/main',
          holds: true,
        },
        { claim: 'event_name', excludes: ['pull_request*'], found: 'push', holds: true },
      ],
    });
  });

  it('with claims says which condition does not hold', async () => {
    const claims = { repository_id: 123456789, sub: 'repo:acme/app:pull_request', event_name: 'pull_request_target' };
    const { result } = await check({ claims });
    expect(result).toMatchObject({ isAccepted: false, isVerified: null, reason: null });
    expect(result?.conditions.map(({ claim, holds }) => [claim, holds])).toEqual([
      ['repository_id', true],
      ['sub', false],
      ['event_name', false],
    ]);
  });

  it('with a token that proves nothing says why, in a sentence, and what its claims would do', async () => {
    const { result } = await check({ token: issuer.token({ aud: 'https://other.example' }) });
    expect(result).toMatchObject({
      isAccepted: false,
      isVerified: false,
      reason: 'unexpected "aud" claim value.',
    });
    expect(result?.conditions.every(({ holds }) => holds)).toBe(true);
  });

  itAnswers('400 REQUEST_INVALID with neither token nor claims', () => check({}));
  itAnswers('400 REQUEST_INVALID with both', () => check({ token: 'a.b.c', claims: {} }));
});
