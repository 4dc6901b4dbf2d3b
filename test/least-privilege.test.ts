import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { endpoints } from '../functions/endpoints.ts';
import { getNpmDocument, getNpmSearch, publishNpmPackage } from '../functions/npm/contracts.ts';
import { createRemoteRepository, updateRepository } from '../functions/repositories/contracts.ts';
import { getCurrentUser } from '../functions/users/contracts.ts';
import { readAssembly } from '../infra/local/assembly.ts';
import { type Right, RolePolicy } from '../infra/local/role-policy.ts';
import type { Contract } from '../shared/http/contract.ts';
import { assemblyDirectory } from './harness/assembly.ts';
import { accountHeader } from './harness/credentials.ts';
import { passADay } from './harness/due-blobs.ts';
import type { Request } from './harness/endpoint-facts.ts';
import { buildFixture, type Fixture, otherWays, validRequest } from './harness/fixture.ts';
import { publishBody } from './harness/npm-packages.ts';
import { publishVersions } from './harness/package-store.ts';
import { useService } from './harness/service.ts';
import { replaceItems } from './harness/stored-items.ts';
import { firstAdmin, uniqueName } from './harness/world.ts';

/** Stands in for Secrets Manager, and for the place where CloudFormation waits for the answer of a custom resource. */
const outside = createServer();
const answers: unknown[] = [];
const listening = once(outside.listen(0, '127.0.0.1'), 'listening');
const outsideUrl = (): string => `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await json(request);
  if (request.method === 'PUT') answers.push(body);
  response.end(JSON.stringify({ SecretString: firstAdmin.password }));
};
outside.on('request', (request, response) => void answer(request, response));

const environment: Record<string, string> = {};
beforeAll(async () => {
  await listening;
  environment.AWS_ENDPOINT_URL_SECRETS_MANAGER = outsideUrl();
});
const service = useService({ environment });
const { functions } = readAssembly(assemblyDirectory());

const createFirstAdmin = (): Promise<unknown> =>
  service.runner.invoke('first-admin', {
    RequestType: 'Create',
    RequestId: 'request',
    StackId: 'stack',
    LogicalResourceId: 'User',
    ResponseURL: `${outsideUrl()}/answer`,
  });

/** What is done only where an index has outgrown its snapshot twice: the second compaction reads the first and removes changes. */
const requestsAboutManyVersions = async ({
  workspace,
  repository,
}: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const name = uniqueName('package');
  await publishVersions(workspace, repository, name, 129);
  const params = { workspace: workspace.id, repository: repository.id, path: name };
  const content = JSON.stringify(publishBody(name, '2.0.0'));
  return [
    [publishNpmPackage, { params, bytes: { content, mediaType: 'application/json' } }],
    [getNpmDocument, { params }],
    [getNpmSearch, { params, query: { text: name } }],
  ];
};

const nameOf = ({ action, resource }: Right): string => `${action} on ${resource}`;

/** The rights of a role without which at least one call of the function would have been refused. */
const neededRights = (id: string): Set<string> =>
  new Set(
    service.accesses
      .filter(({ functionId, rights }) => functionId === id && rights.length === 1)
      .flatMap(({ rights }) => rights.map(nameOf)),
  );

afterAll(() => outside.close());

describe('The role of each function allows what the function does, and nothing else', () => {
  it('the first system admin is created by the function of the deployment, once', async () => {
    await replaceItems([]);
    await createFirstAdmin();
    await createFirstAdmin();
    expect(answers).toMatchObject([{ Status: 'SUCCESS' }, { Status: 'SUCCESS' }]);
    const as = accountHeader('admin', firstAdmin.password);
    expect(await service.client.succeed(getCurrentUser, { as })).toMatchObject({ userRole: 'system-admin' });
  });

  it('every function does all that it ever does, and nothing is refused', async () => {
    const fixture = await buildFixture(service);
    const succeed = async (contract: Contract, request: Request) => {
      const { status, text } = await service.client.attempt(contract, { ...request, as: fixture.systemAdmin.bearer });
      expect([contract.id, status < 300, text]).toEqual([contract.id, true, text]);
    };
    for (const contract of endpoints) await succeed(contract, await validRequest(contract, fixture));
    for (const contract of endpoints)
      for (const make of otherWays(contract)) await succeed(contract, await make(fixture));
    for (const [contract, request] of await requestsAboutManyVersions(fixture)) await succeed(contract, request);
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    await passADay();
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    service.proxy.inject({ functionId: 'sweeper', fault: 'server-error' });
    expect(await service.runner.runScheduled('sweeper')).toBe(false);
    expect(service.accesses.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  }, 180_000);

  it.each(functions.map(({ id, statements }) => [id, statements] as const))(
    'no right of %s is unused',
    (id, statements) => {
      const needed = neededRights(id);
      const unused = new RolePolicy(statements).rights.map(nameOf).filter((right) => !needed.has(right));
      expect(unused).toEqual([]);
    },
  );

  it('only the two functions that store passwords of upstreams may use a key, to encrypt', () => {
    const ofKeys = functions.flatMap(({ id, statements }) =>
      new RolePolicy(statements).rights
        .filter(({ action }) => /^(kms:|\*)/.test(action))
        .map(({ action }) => `${id} ${action}`),
    );
    expect(ofKeys.toSorted((one, other) => one.localeCompare(other))).toEqual([
      `${createRemoteRepository.id} kms:Encrypt`,
      `${updateRepository.id} kms:Encrypt`,
    ]);
  });
});
