import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { addMemberToRepositories } from '../../../functions/members/contracts.ts';
import { createLocalRepository } from '../../../functions/repositories/contracts.ts';
import { getHealth } from '../../../functions/system/contracts.ts';
import type { BuiltContract } from '../../../shared/http/built-contract.ts';
import type { Contract } from '../../../shared/http/contract.ts';
import { read as readJson } from '../../../shared/http/requests/json.ts';
import { grantKeys } from '../../../shared/table/identity/grant-shards.ts';
import { isTooMuch } from '../../../shared/table/identity/grants.ts';
import type { Membership } from '../../../shared/table/identity/memberships.ts';
import { IdentityMap } from '../../../shared/table/identity-map.ts';
import {
  type Item,
  type Key,
  keyText,
  membershipKey,
  repositoryKey,
  tokenKey,
  userKey,
  usernameOfIdKey,
  workspaceKey,
} from '../../../shared/table/keys.ts';
import { parseReference } from '../../../shared/table/references.ts';
import { proxyEvent } from '../events.ts';
import { stubConnections } from '../stub-socket.ts';

type Handler = (event: APIGatewayProxyEvent, context: object) => Promise<APIGatewayProxyResult>;
type Bare = Record<'createRepository' | 'grantBatch', (known: object, text: string) => Promise<string>>;

const [, , local = '', batch = '', health = '', yardstick = ''] = process.argv;
const require = createRequire(__filename);
const bareFrom = (file: string): Bare => {
  delete require.cache[require.resolve(file)];
  return require(file) as Bare;
};
const bare = bareFrom(yardstick);
/** A second copy with its own SDK: the difference between two equal functions is the resolution of this method. */
const twin = bareFrom(yardstick);
const handlerOf = (file: string): Handler => (require(file) as { handler: Handler }).handler;

const known = { username: 'robin', userId: randomUUID(), tokenId: randomUUID(), workspaceId: randomUUID() };
const { username, userId, tokenId, workspaceId } = known;
const granteeId = randomUUID();
const createdAt = new Date().toISOString();
const repositories = Array.from({ length: 100 }, () => randomUUID());
const membership = { role: 'member', grantCount: 0, grants: {} } as const;

const items = new Map<string, object>();
const store = (key: Key, fields: object) => items.set(keyText(key), marshall({ ...key, ...fields }));
const hash = { passwordHash: 'x'.repeat(97), passwordVersion: randomUUID() };
store(userKey(username), { userId, username, ...hash, userRole: 'user', disabled: false, createdAt });
store(tokenKey(tokenId), { tokenId, tokenHash: 'x'.repeat(64), userId, username, name: 'ci', expirationDate: null });
store(workspaceKey(workspaceId), { workspaceId, name: 'acme', comments: '', countShares: 8, createdAt });
store(membershipKey(workspaceId, userId), { userId, username, ...membership, role: 'admin' });
store(usernameOfIdKey(granteeId), { username: 'grantee' });
store(membershipKey(workspaceId, granteeId), { userId: granteeId, username: 'grantee', ...membership });
for (const [index, repositoryId] of repositories.entries()) {
  const kind = { name: `repository-${index}`, packageType: 'npm', repositoryType: 'local' };
  store(repositoryKey(workspaceId, repositoryId), { repositoryId, workspaceId, ...kind, countShare: 1, createdAt });
}

const readAnswers = new Map<string, string>();
const readAnswer = (body: string): string => {
  const { RequestItems } = JSON.parse(body) as {
    RequestItems: Record<string, { Keys: Record<'pk' | 'sk', { S: string }>[] }>;
  };
  const Responses = Object.entries(RequestItems).map(([table, { Keys }]) => [
    table,
    Keys.flatMap(({ pk, sk }) => items.get(keyText({ pk: pk.S, sk: sk.S })) ?? []),
  ]);
  return JSON.stringify({ Responses: Object.fromEntries(Responses), UnprocessedKeys: {} });
};
const answers: Record<string, (body: string) => string> = {
  BatchGetItem: (body) => {
    const answer = readAnswers.get(body) ?? readAnswer(body);
    readAnswers.set(body, answer);
    return answer;
  },
};
stubConnections((operation, body) => answers[operation]?.(body) ?? '{}');

const turns = 8;
const microsecondsOf = async (call: () => Promise<unknown>, calls: number): Promise<number> => {
  const before = process.threadCpuUsage();
  for (let done = 0; done < calls; done += 1) await call();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / calls;
};

/** Microseconds of CPU time per call: our function and the bare one, in turns. */
const compare = async (ours: () => Promise<unknown>, theirs: () => Promise<unknown>, calls: number) => {
  await microsecondsOf(ours, 600);
  await microsecondsOf(theirs, 600);
  const pairs: [number, number][] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) pairs.push([await microsecondsOf(ours, calls), await microsecondsOf(theirs, calls)]);
    else
      pairs.push(
        [await microsecondsOf(theirs, calls), await microsecondsOf(ours, calls)].toReversed() as [number, number],
      );
  }
  return pairs;
};

/** Microseconds of CPU time per call, without a comparison. */
const alone = async (call: () => Promise<unknown>): Promise<number[]> => {
  await microsecondsOf(call, 600);
  const figures: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) figures.push(await microsecondsOf(call, 1_000));
  return figures;
};

const ours = (contract: Contract, file: string, body?: object) => {
  const handler = handlerOf(file);
  const event = JSON.stringify(proxyEvent(contract, { workspace: workspaceId }, { userId, username, tokenId }, body));
  const context = { getRemainingTimeInMillis: () => 10_000 };
  return async () => {
    const { statusCode, body: text } = await handler(JSON.parse(event) as APIGatewayProxyEvent, context);
    if (statusCode >= 300) throw new Error(text);
  };
};

const theirs = (from: Bare, name: keyof Bare, contract: Contract, body: object) => {
  const event = JSON.stringify(proxyEvent(contract, { workspace: workspaceId }, { userId, username, tokenId }, body));
  return async () => {
    const { body: sent } = JSON.parse(event) as { body: string };
    return { statusCode: 200, body: await from[name](known, Buffer.from(sent, 'base64').toString()) };
  };
};

/** How the pipeline reads a body: strict JSON, the schema, all violations. */
const reading = (contract: Contract, body: object) => {
  const event = proxyEvent(contract, { workspace: workspaceId }, { userId, username, tokenId }, body);
  return async () => {
    if (readJson(contract as BuiltContract, event, []).refusal) throw new Error('The body was refused.');
  };
};

const parsed = (reference: string): string => {
  const read = parseReference(reference);
  return read && 'id' in read ? read.id : reference;
};

/** What authorize does with the keys of the batch: asks for them, takes in what was found, asks again, finds each. */
const authorizing = (references: readonly string[]) => {
  const keysOf = (): Key[] => [
    userKey(username),
    tokenKey(tokenId),
    workspaceKey(workspaceId),
    membershipKey(workspaceId, userId),
    usernameOfIdKey(granteeId),
    membershipKey(workspaceId, granteeId),
    ...grantKeys(workspaceId, granteeId, references.map(parsed)),
    ...references.map((reference) => repositoryKey(workspaceId, parsed(reference))),
  ];
  const stored: Item[] = keysOf().map(({ pk, sk }) => ({ pk, sk, workspaceId }));
  return async () => {
    const loaded = new IdentityMap();
    loaded.add(loaded.missing(keysOf()).keys(), stored);
    const missing = loaded.missing(keysOf());
    const found = references.map((reference) => loaded.find(repositoryKey(workspaceId, parsed(reference))));
    if (missing.size > 0 || found.includes(undefined)) throw new Error('An item was not found.');
  };
};

/** The writes that grant the batch, as the table layer plans them. */
const planning = (references: readonly string[]) => async () => {
  const member: Membership = { userId: granteeId, username: 'grantee', ...membership };
  const grants = references.map((repositoryId) => ({ repositoryId, level: 'canDeploy' as const }));
  if (isTooMuch(workspaceId, member, grants, new IdentityMap())) throw new Error('The batch was refused.');
};

const small = { name: 'npm-local', packageType: 'npm' };
const large = {
  userId: granteeId,
  repositories: repositories.map((repositoryReference) => ({
    repositoryReference,
    repositoryPermissionLevel: 'canDeploy',
  })),
};

const main = async (): Promise<void> => {
  const pairs = {
    small: await compare(
      ours(createLocalRepository, local, small),
      theirs(bare, 'createRepository', createLocalRepository, small),
      100,
    ),
    large: await compare(
      ours(addMemberToRepositories, batch, large),
      theirs(bare, 'grantBatch', addMemberToRepositories, large),
      20,
    ),
    twins: await compare(
      theirs(twin, 'createRepository', createLocalRepository, small),
      theirs(bare, 'createRepository', createLocalRepository, small),
      100,
    ),
    empty: await alone(ours(getHealth, health)),
    readSmall: await alone(reading(createLocalRepository, small)),
    readLarge: await alone(reading(addMemberToRepositories, large)),
    authorizeLarge: await alone(authorizing(repositories)),
    planLarge: await alone(planning(repositories)),
  };
  writeSync(3, `${JSON.stringify(pairs)}\n`);
};
void main();
