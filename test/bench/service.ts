import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { credentialsOf, credentialVariables } from '../../infra/local/credentials.ts';
import { projectRoot } from '../../infra/local/sources.ts';
import type { UserRole } from '../../shared/access.ts';
import { hashPassword } from '../../shared/auth/passwords.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { environment } from '../../shared/config.ts';
import { Table } from '../../shared/table/client.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import { insertToken } from '../../shared/table/identity/tokens.ts';
import { insertUser, type User } from '../../shared/table/identity/users.ts';
import { insertWorkspace, type Workspace } from '../../shared/table/identity/workspaces.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { functionVariables, type Workbench } from './workbench.ts';
import type { Known } from './yardsticks/table-calls.ts';

/** The URL of the service, and the table and the store behind it. */
export interface Service {
  readonly url: string;
  /** The address that also takes large bodies. */
  readonly doorUrl: string;
  readonly engineUrl: string;
  readonly storeUrl: string;
  readonly kmsUrl: string;
  readonly bucket: string;
  readonly tableName: string;
}

export const password = 'correct horse battery staple';

let running: Promise<Service> | undefined;

/**
 * Starts the service in a process of its own. All parts of the bench share it, because the table layer, with which this
 * process stores the data of the bench, keeps the first table that it gets.
 */
export const theService = (workbench: Workbench): Promise<Service> => {
  running ??= start(workbench);
  return running;
};

const start = async (workbench: Workbench): Promise<Service> => {
  const script = join(projectRoot, 'test', 'bench', 'servers', 'stockroom.ts');
  const { PATH = '' } = process.env;
  const message = (await workbench.start(script, [workbench.assemblyDirectory], { PATH })).message as Service;
  Object.assign(process.env, functionsOf(message));
  return message;
};

/** The environment variables of a function that runs outside the service, on its table and its store. */
export const functionsOf = ({
  engineUrl,
  storeUrl,
  kmsUrl,
  bucket,
  tableName,
}: Service): Readonly<Record<string, string>> => ({
  ...functionVariables,
  ...credentialVariables(credentialsOf('runner')),
  [environment.tableName]: tableName,
  [environment.storeBucket]: bucket,
  [environment.upstreamAnswerMilliseconds]: '20000',
  [environment.upstreamKeyId]: 'bench',
  [environment.fetcherFunction]: 'bench',
  [environment.verifierFunction]: 'bench',
  [environment.importerFunction]: 'bench',
  [environment.remembersAccess]: 'true',
  AWS_ENDPOINT_URL_DYNAMODB: engineUrl,
  AWS_ENDPOINT_URL_S3: storeUrl,
  AWS_ENDPOINT_URL_KMS: kmsUrl,
});

/** Starts a bare server that makes some of the same table calls on the service's own engine; returns its URL. */
export const startBare = async (
  workbench: Workbench,
  calls: 'createRepository' | 'credential' | 'currentUser',
  known: Known,
): Promise<{ url: string; stop: () => Promise<void> }> => {
  const { tableName, engineUrl } = await theService(workbench);
  const { message, stop } = await workbench.start(
    workbench.built('processes/bare-server'),
    [calls, JSON.stringify(known)],
    { ...functionVariables, TABLE_NAME: tableName, AWS_ENDPOINT_URL_DYNAMODB: engineUrl },
  );
  return { ...(message as { url: string }), stop };
};

let passwordHash: Promise<string> | undefined;

/** Stores a user with the password that all users of the bench share. */
export const storeUser = async (userRole: UserRole = 'user'): Promise<User> => {
  passwordHash ??= hashPassword(password);
  const username = `user-${randomUUID().slice(0, 18)}`;
  const user = await insertUser(new Table(), { username, passwordHash: await passwordHash, userRole });
  if (typeof user === 'string') throw new Error(user);
  return user;
};

/** Stores a token of a user; returns its ID and the header with it. */
export const storeToken = async ({ userId, username }: User): Promise<{ tokenId: string; bearer: string }> => {
  const secret = newToken();
  const fields = { userId, username, name: 'bench', expirationDate: null };
  const { tokenId } = await insertToken(new Table(), secret, fields);
  return { tokenId, bearer: bearerHeader(secret) };
};

/** Stores a workspace with an admin. */
export const storeWorkspace = async (admin: User, name = `ws-${randomUUID().slice(9)}`): Promise<Workspace> => {
  const workspace = await insertWorkspace(new Table(), { name, comments: '' });
  if (typeof workspace === 'string') throw new Error(workspace);
  await setMember(new Table(), workspace, { userId: admin.userId, username: admin.username, role: 'admin' }, undefined);
  return workspace;
};
