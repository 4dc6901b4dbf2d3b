import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from 'aws-lambda';
import { hashPassword } from '../shared/auth/passwords.ts';
import { config } from '../shared/config.ts';
import { log } from '../shared/observability/log.ts';
import { readSecret } from '../shared/secrets.ts';
import { Table } from '../shared/table/client.ts';
import { activeAdminsKey } from '../shared/table/keys.ts';
import { insertUser } from '../shared/table/users.ts';

/** The name that the first system admin signs in with. */
const username = 'admin';

/**
 * The custom resource of a deployment: creates the first system admin with the generated password, and does nothing where
 * there ever was one. CloudFormation waits for the answer, so each outcome is told, failures too.
 */
export const handler = async (event: CloudFormationCustomResourceEvent): Promise<void> => {
  try {
    if (event.RequestType !== 'Delete') await ensureFirstAdmin();
    await answer(event, { Status: 'SUCCESS' });
  } catch (error) {
    log.customResourceFailure(error);
    await answer(event, {
      Status: 'FAILED',
      Reason: 'The first system admin was not created: see the log of this function.',
    });
  }
};

const ensureFirstAdmin = async (): Promise<void> => {
  const table = new Table();
  if ((await table.read([activeAdminsKey])).find(activeAdminsKey)) return;
  const passwordHash = await hashPassword(await readSecret(config.firstAdminSecretArn));
  await insertUser(table, { username, passwordHash, userRole: 'system-admin' });
};

/** The answer goes to a place in S3 that CloudFormation signed; a repeated one is harmless. */
const answer = async (
  { RequestId, LogicalResourceId, StackId, ResponseURL }: CloudFormationCustomResourceEvent,
  outcome: { readonly Status: 'SUCCESS' } | { readonly Status: 'FAILED'; readonly Reason: string },
): Promise<void> => {
  const body = {
    RequestId,
    LogicalResourceId,
    StackId,
    // Always the same: another one would make CloudFormation delete the resource of before.
    PhysicalResourceId: 'first-admin',
    ...outcome,
  } satisfies Partial<CloudFormationCustomResourceResponse>;
  const { status } = await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(body) });
  if (status !== 200) throw new Error(`CloudFormation's place for the answer said ${status}.`);
};
