import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { endpoints } from '../../functions/endpoints.ts';
import { addWorkspaceMember } from '../../functions/members/contracts.ts';
import { createRemoteRepository, updateRepository } from '../../functions/repositories/contracts.ts';
import { createUser, getCurrentUser } from '../../functions/users/contracts.ts';
import { authorizerRights, rightsOf } from '../../infra/api/rights.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { type Right, RolePolicy } from '../../infra/local/role-policy.ts';
import { grantedTo } from '../../infra/released-rights.ts';
import { advisoriesUrlVariable, environment as variables } from '../../shared/config.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { partBytes } from '../../shared/store/received-file.ts';
import { renew, renewed, signIn } from '../facts/browser-sessions.ts';
import { archiveOf, osvEntry } from '../gates/osv.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { accountHeader } from '../harness/credentials.ts';
import { passADay, passADayOfImages } from '../harness/due-blobs.ts';
import { type Request, statusForAdmin } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, otherWays, validRequest } from '../harness/fixture.ts';
import { shareOf } from '../harness/sampling.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { replaceItems } from '../harness/stored-items.ts';
import { Upstream, useUpstream } from '../harness/upstream.ts';
import { firstAdmin, newPassword, uniqueName } from '../harness/world.ts';
import { fetchFiles } from './scenarios/fetched-files.ts';
import { checkSlowVersion, publishLargeUpload, publishParts } from './scenarios/packages.ts';
import { answerMilliseconds, type RightsScenario } from './scenarios/scenario.ts';
import { scenarios } from './scenarios/scenarios.ts';

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

const environment: Record<string, string> = {
  ...reachingLoopback,
  [variables.upstreamAnswerMilliseconds]: `${answerMilliseconds}`,
};
const osv = new Upstream();
afterAll(async () => osv.stop());
beforeAll(async () => {
  await listening;
  await osv.start();
  environment[advisoriesUrlVariable] = osv.url;
  environment.AWS_ENDPOINT_URL_SECRETS_MANAGER = outsideUrl();
});
const service = useService({ environment });
const upstream = useUpstream();
const allTypes = Object.entries(scenarios) as [PackageType, RightsScenario][];
/** With these, functions that all types share use all of their rights. */
const everyDay: ReadonlySet<PackageType> = new Set(['docker', 'npm', 'universal']);
/** The package types that are looked at: those, and a third of the others, which differ each day; with ALL_CASES, each of them. */
const ofTypes = [
  ...allTypes.filter(([type]) => everyDay.has(type)),
  ...shareOf(
    allTypes.filter(([type]) => !everyDay.has(type)),
    3,
  ),
];
const typesToday = new Set<string>(ofTypes.map(([type]) => type));
/** Whether a function has done all that it ever does: that of a package type has where it is the turn of this type. */
const hasDoneAll = (id: string): boolean => {
  const [folder = ''] = id.split('/');
  return typesToday.has(folder) || !Object.hasOwn(scenarios, folder);
};
/** Each has an upstream of its own: they take place at once. */
const slowReads = ofTypes.flatMap(([, { slowRead }]) => (slowRead ? [{ slowRead, slowUpstream: useUpstream() }] : []));
const { functions } = readAssembly(assemblyDirectory());

const createFirstAdmin = (): Promise<unknown> =>
  service.runner.invoke('first-admin', {
    RequestType: 'Create',
    RequestId: 'request',
    StackId: 'stack',
    LogicalResourceId: 'User',
    ResponseURL: `${outsideUrl()}/answer`,
  });

/** An archive of advisories that breaks off after its first part, and one that comes. */
const updateAdvisories = async (): Promise<void> => {
  const update = async () => service.runner.invoke('importer', { packageType: 'conan' });
  osv.answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': 2 * partBytes });
    response.write(Buffer.alloc(partBytes), () => response.destroy());
  };
  await expect(update()).rejects.toThrow();
  const affected = { package: { ecosystem: 'ConanCenter', name: 'tool' } };
  osv.answer = (_, response) => response.end(archiveOf([osvEntry('MAL-2026-1', 'tool', {}, affected)]));
  await update();
};

/** A renewal with a cookie that was replaced twice, which ends the session. */
const copyCookie = async ({ client, targetUser }: Fixture) => {
  const { cookie } = await signIn(client, targetUser);
  await renewed(client, (await renewed(client, cookie)).cookie);
  expect((await renew(client, cookie)).status).toBe(401);
};

const nameOf = ({ action, resource }: Right): string => `${action} on ${resource}`;

/** The rights of a role without which at least one call of the function would have been refused. */
const neededRights = (id: string): Set<string> =>
  new Set(
    service.accesses
      .filter(({ functionId, rights }) => functionId === id && rights.length === 1)
      .flatMap(({ rights }) => rights.map(nameOf)),
  );

/** The actions that only the code of the last release needs: its versions run until the aliases have moved. */
const keptForLastRelease = (id: string): Set<string> => {
  const endpoint = endpoints.find((each) => each.id === id);
  const needed = id === 'authorizer' ? authorizerRights : endpoint && rightsOf(endpoint);
  if (!needed) return new Set();
  const granted = grantedTo(id, needed);
  const table = granted.table.filter((action) => !needed.table.includes(action)).map((action) => `dynamodb:${action}`);
  const store = granted.store
    .filter((right) => !needed.store.includes(right))
    .map((right) => `s3:${right.replace(/ .*/, '')}`);
  const key = granted.encrypts && !needed.encrypts ? ['kms:Encrypt'] : [];
  return new Set([...table, ...store, ...key]);
};

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
      const isWanted = status < 300 || status === statusForAdmin(contract);
      expect([contract.id, isWanted, text]).toEqual([contract.id, true, text]);
    };
    // They take all fetches that a workspace may have at once.
    const waiting = { ...fixture, workspace: await service.world.workspace() };
    const areRead = Promise.all(
      slowReads.map(async ({ slowRead, slowUpstream }) =>
        slowRead({ service, fixture: waiting, upstream: slowUpstream }),
      ),
    );
    for (const contract of endpoints) await succeed(contract, await validRequest(contract, fixture));
    for (const contract of endpoints)
      for (const make of otherWays(contract)) await succeed(contract, await make(fixture));
    // Functions that all types share use some rights for the sake of one of them.
    for (const [, { manyVersions }] of allTypes)
      for (const [contract, request] of (await manyVersions?.(fixture)) ?? []) await succeed(contract, request);
    await updateAdvisories();
    const setting = { service, fixture, upstream };
    for (const [type, { fetching, otherFetchings = [], afterFetching }] of ofTypes) {
      const remote = await fetchFiles(setting, type, fetching);
      await afterFetching?.(setting, remote);
      for (const each of otherFetchings) await fetchFiles(setting, type, each);
    }
    await publishLargeUpload(setting);
    await publishParts(setting);
    for (const [, { others }] of ofTypes) await others?.(setting);
    await copyCookie(fixture);
    await areRead;
    await checkSlowVersion({ service, fixture: waiting, upstream });
    // The user of its valid request is a member before.
    const { workspace, stranger } = fixture;
    await succeed(addWorkspaceMember, { params: { workspace: workspace.id }, body: { userId: stranger.userId } });
    // A new System Admin is counted, too.
    await succeed(createUser, { body: { username: uniqueName(), password: newPassword(), userRole: 'system-admin' } });
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    await passADay();
    await passADayOfImages();
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    service.proxy.inject({ functionId: 'sweeper', fault: 'server-error' });
    expect(await service.runner.runScheduled('sweeper')).toBe(false);
    expect(service.accesses.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  }, 300_000);

  it.each(functions.filter(({ id }) => hasDoneAll(id)).map(({ id, statements }) => [id, statements] as const))(
    'no right of %s is unused',
    (id, statements) => {
      const needed = neededRights(id);
      const before = keptForLastRelease(id);
      const unused = new RolePolicy(statements).rights
        .filter(({ action }) => !before.has(action))
        .map(nameOf)
        .filter((right) => !needed.has(right));
      expect(unused).toEqual([]);
    },
  );

  it('only the functions that store passwords of upstreams may encrypt, only those that ask upstreams decrypt, and only those that sign sign', () => {
    const ofKeys = functions.flatMap(({ id, statements }) =>
      new RolePolicy(statements).rights
        .filter(({ action }) => /^(kms:|\*)/.test(action))
        .map(({ action }) => `${action} ${id}`),
    );
    const fetching = ['fetcher', ...endpoints.filter(({ decrypts }) => decrypts).map(({ id }) => id)].map(
      (id) => `kms:Decrypt ${id}`,
    );
    const storing = [createRemoteRepository, updateRepository].map(({ id }) => `kms:Encrypt ${id}`);
    const signing = endpoints
      .filter(({ signs }) => signs)
      .flatMap(({ id }) => [`kms:GetPublicKey ${id}`, `kms:Sign ${id}`]);
    const byName = (one: string, other: string): number => one.localeCompare(other);
    expect(ofKeys.toSorted(byName)).toEqual([...fetching, ...storing, ...signing].toSorted(byName));
  });

  it('only the functions that hand work over may let a function run, and only the one that goes on with it', () => {
    const arnOf = (id: string) => functions.find((each) => each.id === id)?.arn;
    const invoking = functions.flatMap(({ id, statements }) =>
      new RolePolicy(statements).rights
        .filter(({ action }) => /^(lambda:|\*)/.test(action))
        .map(({ action, resource }) => [id, action, resource]),
    );
    const expected = endpoints.flatMap(({ id, invokes = [] }) =>
      invokes.map((invoked) => [id, 'lambda:InvokeFunction', arnOf(invoked)]),
    );
    expect(invoking).toEqual(expected);
    expect(new Set(invoking.map(([, , arn]) => arn)).size).toBe(3);
  });
});
