import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { type Credential, decodeAuthorization } from '../shared/auth/authorization-header.ts';
import { hashPassword, isOutdated, verifyPassword } from '../shared/auth/passwords.ts';
import type { Principal } from '../shared/http/authorization.ts';
import { log } from '../shared/observability/log.ts';
import { countPasswordFailure } from '../shared/observability/metrics.ts';
import { Table } from '../shared/table/client.ts';
import { findTokenBySecret, isCurrent, noteUse } from '../shared/table/tokens.ts';
import { findUserByName, updatePasswordHash } from '../shared/table/users.ts';
import { isUsername } from '../shared/usernames.ts';

/**
 * Authenticates the caller and decides nothing else. API Gateway caches the answer for minutes and for every endpoint,
 * so each handler reads the user and the token again before it decides anything.
 */
export const handler = async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
  const principal = await authenticate(decodeAuthorization(authorizationHeaders(event)));
  // API Gateway answers 401 to this message only.
  if (!principal) throw new Error('Unauthorized');
  return allow(event.methodArn, principal);
};

const authorizationHeaders = (event: APIGatewayRequestAuthorizerEvent): string[] =>
  Object.entries(event.multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .flatMap(([, values]) => values ?? []);

const authenticate = async (credential: Credential | undefined): Promise<Principal | undefined> => {
  if (!credential) return undefined;
  return credential.kind === 'token' ? byToken(credential.token) : byPassword(credential.username, credential.password);
};

const byToken = async (secret: string): Promise<Principal | undefined> => {
  const token = await findTokenBySecret(new Table(), secret);
  if (!token || !isCurrent(token)) return undefined;
  await bestEffort((table) => noteUse(table, token));
  return {
    userId: token.userId,
    username: token.username,
    tokenId: token.tokenId,
  };
};

const byPassword = async (username: string, password: string): Promise<Principal | undefined> => {
  const table = new Table();
  const user = isUsername(username) ? await findUserByName(table, username) : undefined;
  const owner = user && !user.disabled ? user : undefined;
  const matches = await verifyPassword(owner, password);
  if (!owner || !matches) {
    countPasswordFailure();
    return undefined;
  }
  if (isOutdated(owner.passwordHash))
    await bestEffort(async (brief) => updatePasswordHash(brief, owner, await hashPassword(password)));
  return {
    userId: owner.userId,
    username,
    passwordVersion: owner.passwordVersion,
  };
};

/** The time limit of a best-effort write. The caller waits for it, because Lambda freezes a function that has answered. */
const bestEffortMilliseconds = 500;

/** Makes a best-effort write. If it fails, the request goes on. */
const bestEffort = async (write: (table: Table) => Promise<void>): Promise<void> => {
  try {
    await write(new Table(bestEffortMilliseconds));
  } catch (error) {
    log.bestEffortFailure(error);
  }
};

/** Allows the whole stage, because API Gateway caches the answer by credential and not by path. */
const allow = (
  methodArn: string,
  { userId, username, tokenId, passwordVersion }: Principal,
): APIGatewayAuthorizerResult => {
  const [api, stage] = methodArn.split('/');
  return {
    principalId: userId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: 'Allow',
          Resource: `${api}/${stage}/*`,
        },
      ],
    },
    context: {
      userId,
      username,
      ...(tokenId ? { tokenId } : { passwordVersion }),
    },
  };
};
