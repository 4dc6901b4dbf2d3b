import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { handler } from '../../functions/release-check.ts';
import { tokenOf } from '../../shared/auth/tokens.ts';
import { accountHeader } from '../harness/credentials.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const secret = `${'A1'.repeat(21)}z`;
const version = 'arn:aws:lambda:us-east-1:000000000000:function:authorizer:7';

/** What the version of the authorizer does with a credential; by default what the real one does. */
type Authorizer = (event: object) => Promise<unknown>;
const real: Authorizer = (event) =>
  service.runner.invoke('authorizer', event).catch((error: Error) => ({ errorMessage: error.message }));

let authorizer: Authorizer = real;
const reported: unknown[] = [];
const invoked: string[] = [];

/** Stands for Secrets Manager, Lambda and CodeDeploy. */
const aws = createServer((request, response) => {
  const answer = async (): Promise<unknown> => {
    const body = JSON.parse(await text(request)) as object;
    const target = String(request.headers['x-amz-target'] ?? '');
    if (target.startsWith('secretsmanager')) return { SecretString: secret };
    if (target === 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus') {
      reported.push(body);
      return {};
    }
    invoked.push(decodeURIComponent(String(request.url)));
    return authorizer(body);
  };
  void answer().then((found) => response.end(JSON.stringify(found)));
});

beforeAll(async () => {
  aws.listen(0, '127.0.0.1');
  await once(aws, 'listening');
  const url = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'tests',
    AWS_SECRET_ACCESS_KEY: 'tests',
    AWS_ENDPOINT_URL_DYNAMODB: service.runner.engineUrl,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
    AWS_ENDPOINT_URL_SECRETSMANAGER: url,
    AWS_ENDPOINT_URL_LAMBDA: url,
    AWS_ENDPOINT_URL_CODEDEPLOY: url,
    TABLE_NAME: service.runner.tableName,
    RELEASE_CHECK_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:check',
    AUTHORIZER_VERSION: version,
  });
});
afterAll(() => aws.close());
beforeEach(() => {
  authorizer = real;
  reported.length = 0;
  invoked.length = 0;
});

const check = async (): Promise<unknown[]> => {
  await handler({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'e-1' });
  return reported;
};
const answered = (status: string) => [{ deploymentId: 'd-1', lifecycleEventHookExecutionId: 'e-1', status }];

describe('The check of a release', () => {
  it('lets traffic move to an authorizer that accepts its token and its password, and refuses another token', async () => {
    expect(await check()).toEqual(answered('Succeeded'));
    expect(invoked).toEqual(Array(3).fill(`/2015-03-31/functions/${version}/invocations`));
  });

  it('makes its user once, who has no role and can sign in', async () => {
    await check();
    await check();
    expect(reported).toEqual([...answered('Succeeded'), ...answered('Succeeded')]);
    for (const authorization of [`Bearer ${tokenOf(secret)}`, accountHeader('release-check', secret)]) {
      const response = await fetch(`${service.runner.url}/1/users/me`, { headers: { Authorization: authorization } });
      expect(await response.json()).toMatchObject({ username: 'release-check', userRole: 'user', workspaces: [] });
    }
  });

  it.each<readonly [string, Authorizer]>([
    ['refuses everybody', async () => ({ errorMessage: 'Unauthorized' })],
    ['refuses passwords', (event) => (JSON.stringify(event).includes('Basic') ? real({}) : real(event))],
    ['accepts everybody', async () => ({ context: { userId: 'u', username: 'release-check' } })],
    ['takes one user for another', async () => ({ context: { userId: 'u', username: 'admin' } })],
    ['fails', async () => ({ errorMessage: 'Cannot read properties of undefined' })],
  ])('lets no traffic move to an authorizer that %s', async (_, broken) => {
    authorizer = broken;
    expect(await check()).toEqual(answered('Failed'));
  });
});
