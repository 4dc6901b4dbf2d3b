import { hashPassword } from '../shared/auth/passwords.ts';
import { newToken, tokenOf } from '../shared/auth/tokens.ts';
import { config } from '../shared/config.ts';
import { invokeForAnswer } from '../shared/invocation.ts';
import { log } from '../shared/observability/log.ts';
import { readSecret } from '../shared/secrets.ts';
import { callService } from '../shared/service-calls.ts';
import { Table } from '../shared/table/client.ts';
import { findTokenBySecret, insertToken } from '../shared/table/identity/tokens.ts';
import { findUserByName, insertUser } from '../shared/table/identity/users.ts';

/** The user of the check: it has no role and is a member of nothing. An operator may see it in the list of users. */
const username = 'release-check';

/** What CodeDeploy sends to a hook. */
export interface HookEvent {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

const timeoutMilliseconds = 40_000;

/**
 * Signs in at the new version of the authorizer before it gets any traffic: an authorizer that refuses everybody causes no
 * fault that an alarm could count. CodeDeploy waits up to an hour for the answer, so every outcome is reported.
 */
export const handler = async (event: HookEvent): Promise<void> => {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  let status: 'Succeeded' | 'Failed' = 'Failed';
  try {
    await signIn(signal);
    status = 'Succeeded';
  } catch (error) {
    log.releaseCheckFailure(error);
  }
  await report(event, status, signal);
};

/** The password of the user and the random part of its token are one secret, which Secrets Manager made. */
const signIn = async (signal: AbortSignal): Promise<void> => {
  const secret = await readSecret(config.releaseCheckSecretArn);
  const token = tokenOf(secret);
  await ensureUser(secret, token);
  const basic = Buffer.from(`${username}:${secret}`).toString('base64');
  await expectAnswer(`Bearer ${token}`, 'accepted', signal);
  await expectAnswer(`Basic ${basic}`, 'accepted', signal);
  await expectAnswer(`Bearer ${newToken()}`, 'refused', signal);
};

const ensureUser = async (secret: string, token: string): Promise<void> => {
  const table = new Table();
  if (await findTokenBySecret(table, token)) return;
  const passwordHash = await hashPassword(secret);
  const found = await findUserByName(table, username);
  const user = found ?? (await insertUser(table, { username, passwordHash, userRole: 'user' }));
  if (typeof user === 'string') throw new Error(`The user ${username} was just created by another check.`);
  const { userId, tokenGeneration } = user;
  await insertToken(table, token, { userId, username, name: 'release check', expirationDate: null, tokenGeneration });
  log.changes(table.recorded);
};

/** What the authorizer answers, as far as the check looks. */
interface AuthorizerAnswer {
  readonly context?: { readonly userId?: unknown; readonly username?: unknown };
  readonly errorMessage?: string;
}

const expectAnswer = async (
  credential: string,
  expected: 'accepted' | 'refused',
  signal: AbortSignal,
): Promise<void> => {
  const { context, errorMessage } = (await invokeForAnswer(
    config.authorizerVersion,
    authorizerEvent(credential),
    signal,
  )) as AuthorizerAnswer;
  const isAccepted = typeof context?.userId === 'string' && context.username === username;
  // API Gateway makes a 401 of this error alone.
  const isMet = expected === 'accepted' ? isAccepted : errorMessage === 'Unauthorized';
  const [scheme] = credential.split(' ');
  if (!isMet) throw new Error(`The authorizer should have ${expected} a credential of the scheme ${scheme}.`);
};

const authorizerEvent = (credential: string) => ({
  type: 'REQUEST',
  methodArn: 'arn:aws:execute-api:region:account:release-check/api/GET/1/users/me',
  headers: { Authorization: credential },
  multiValueHeaders: { Authorization: [credential] },
  requestContext: { requestId: 'release-check', identity: { sourceIp: 'release-check' } },
});

const report = async (
  { DeploymentId: deploymentId, LifecycleEventHookExecutionId: lifecycleEventHookExecutionId }: HookEvent,
  status: 'Succeeded' | 'Failed',
  signal: AbortSignal,
): Promise<void> => {
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus',
  };
  const body = JSON.stringify({ deploymentId, lifecycleEventHookExecutionId, status });
  await callService(
    { service: 'codedeploy', path: '/', headers, body, expected: 200, silenceMilliseconds: 5_000 },
    signal,
  );
};
