import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from 'aws-lambda';
import { hashPassword } from '../shared/auth/passwords.ts';
import { config } from '../shared/config.ts';
import { log } from '../shared/observability/log.ts';
import { readSecret } from '../shared/secrets.ts';
import { Table } from '../shared/table/client.ts';
import { insertUser } from '../shared/table/identity/users.ts';
import { activeAdminsKey } from '../shared/table/keys.ts';

/** The username of the first System Admin. */
const username = 'admin';

/**
 * The custom resource of a deployment. It creates the first System Admin with the generated password, unless there ever
 * was a System Admin. CloudFormation waits for the answer, so every outcome is reported, failures too.
 */
export const handler = async (event: CloudFormationCustomResourceEvent): Promise<void> => {
  try {
    if (event.RequestType !== 'Delete') await ensureFirstAdmin();
    await answer(event, { Status: 'SUCCESS' });
  } catch (error) {
    log.customResourceFailure(error);
    await answer(event, {
      Status: 'FAILED',
      Reason: 'The first System Admin was not created: see the log of this function.',
    });
  }
};

const ensureFirstAdmin = async (): Promise<void> => {
  const table = new Table();
  if ((await table.read([activeAdminsKey])).find(activeAdminsKey)) return;
  const passwordHash = await hashPassword(await readSecret(config.firstAdminSecretArn));
  await insertUser(table, { username, passwordHash, userRole: 'system-admin' });
  log.changes(table.recorded);
};

/** Sends the answer to a URL in S3 that CloudFormation has signed. A repeated answer does no harm. */
const answer = async (
  { RequestId, LogicalResourceId, StackId, ResponseURL }: CloudFormationCustomResourceEvent,
  outcome: { readonly Status: 'SUCCESS' } | { readonly Status: 'FAILED'; readonly Reason: string },
): Promise<void> => {
  const body = {
    RequestId,
    LogicalResourceId,
    StackId,
    // The ID never changes: CloudFormation would delete the resource with the old ID.
    PhysicalResourceId: 'first-admin',
    ...outcome,
  } satisfies Partial<CloudFormationCustomResourceResponse>;
  const { status } = await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(body) });
  if (status !== 200) throw new Error(`The URL for the answer to CloudFormation returned ${status}.`);
};
