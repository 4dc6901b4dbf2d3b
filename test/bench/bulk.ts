import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import {
  type Item,
  memberNameKey,
  membershipKey,
  repositoryKey,
  repositoryNameKey,
  usernameOfIdKey,
  workspaceOfUserKey,
} from '../../shared/table/keys.ts';
import type { Service } from './service.ts';

const batchItemsMax = 25;
const atOnce = 8;

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const headers = {
  'X-Amz-Target': 'DynamoDB_20120810.BatchWriteItem',
  'Content-Type': 'application/x-amz-json-1.0',
  'X-Amz-Date': '20260101T000000Z',
  // The embedded engine reads the access key, and does not check the signature.
  Authorization:
    'AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

const put = (engineUrl: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    request(engineUrl, { method: 'POST', agent, headers }, (response) => {
      const settle = (answer: string) =>
        response.statusCode === 200 ? resolve() : reject(new Error(`The engine answered ${answer}`));
      text(response).then(settle, reject);
    })
      .on('error', reject)
      .end(body);
  });

/** Stores items directly, 25 per call: through the API, so much data would take too long. */
const store = async ({ engineUrl, tableName }: Service, items: Iterator<Item>): Promise<void> => {
  const worker = async (): Promise<void> => {
    for (;;) {
      const puts: object[] = [];
      while (puts.length < batchItemsMax) {
        const { value, done } = items.next();
        if (done) break;
        puts.push({ PutRequest: { Item: marshall(value) } });
      }
      if (puts.length === 0) return;
      await put(engineUrl, JSON.stringify({ RequestItems: { [tableName]: puts } }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

const numbered = (prefix: string, index: number): string => `${prefix}-${String(index).padStart(6, '0')}`;

function* repositoriesOf({ workspaceId, createdAt }: Workspace, count: number): Generator<Item, undefined> {
  for (let index = 0; index < count; index += 1) {
    const [repositoryId, name] = [randomUUID(), numbered('repository', index)];
    const kind = { packageType: 'npm', repositoryType: 'local' };
    yield { ...repositoryNameKey(workspaceId, name), id: repositoryId, ...kind };
    const made = { workspaceId, countShare: 0, createdAt, createdBy: workspaceId };
    yield { ...repositoryKey(workspaceId, repositoryId), repositoryId, name, ...kind, ...made };
  }
  return undefined;
}

/** Stores repositories as `createLocalRepository` does, without changing the count. */
export const storeRepositories = (service: Service, workspace: Workspace, count: number): Promise<void> =>
  store(service, repositoriesOf(workspace, count));

function* membersOf({ workspaceId, name }: Workspace, count: number): Generator<Item, undefined> {
  for (let index = 0; index < count; index += 1) {
    const [userId, username] = [randomUUID(), numbered(name, index)];
    yield { ...usernameOfIdKey(userId), username };
    yield { ...membershipKey(workspaceId, userId), userId, username, role: 'member', grantCount: 0, grants: {} };
    yield { ...memberNameKey(workspaceId, username), id: userId };
    yield { ...workspaceOfUserKey(userId, name, workspaceId), id: workspaceId };
  }
  return undefined;
}

/** Stores members as `addWorkspaceMember` does. */
export const storeMembers = (service: Service, workspace: Workspace, count: number): Promise<void> =>
  store(service, membersOf(workspace, count));
