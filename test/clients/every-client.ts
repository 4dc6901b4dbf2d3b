import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { environment } from '../../shared/config.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { useTls } from '../harness/tls.ts';
import { refusing, slowed, useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { urlFor, useSandboxes, useTeam } from './client-world.ts';
import { drivers } from './drivers/all.ts';
import type { Package, Ran, Registry, Wanted } from './drivers/driver.ts';
import { offer, upstreamUrl } from './upstream-content.ts';

/** `npm run test:clients`: the same cases for every client. CONTRIBUTING says what they need. */
jest.setTimeout(600_000);

/** How long a request waits for the answer of an upstream. */
const answerMilliseconds = 3_000;
const service = useService({
  environment: { ...reachingLoopback, [environment.upstreamAnswerMilliseconds]: `${answerMilliseconds}` },
});
const upstream = useUpstream();
const tls = useTls(service);
const { team, granted } = useTeam(service);
const sandbox = useSandboxes();

/** What the upstream was asked for since it was reset, but for audits, which are always passed on. */
const asked = (): (string | undefined)[] =>
  upstream.requests.map(({ url }) => url).filter((url) => !url?.includes('/-/npm/v1/security/'));

/** How long a copy of what an upstream serves is fresh; null is for ever. */
type Lifetime = number | null;

describe.each(drivers.map((driver) => [driver.name, driver] as const))('%s', (_, driver) => {
  beforeAll(async () => {
    const version = await driver.prepare();
    process.stderr.write(`${driver.name} ${version}\n`);
  }, 1_200_000);

  const { packageType } = driver;

  const local = async (): Promise<Named> =>
    granted(await service.world.repository(team.workspace, undefined, packageType));

  const remote = async (lifetime: Lifetime = null, isRemoteCacheEnabled = true): Promise<Named> =>
    granted(
      await createRemote(service, team.workspace, {
        packageType,
        remoteRepositoryUrl: upstreamUrl(upstream, packageType),
        isRemoteCacheEnabled,
        fileCacheTimeTillRevalidation: lifetime,
        metadataCacheTimeTillRevalidation: lifetime,
      }),
    );

  /** A virtual repository over a local one, to which it publishes, and a remote one. */
  const virtual = async (): Promise<Named> => {
    const [first, second] = [await local(), await remote()];
    const fields = { packageType, uploadLocalRepositoryId: first.id };
    return granted(await createVirtual(service, team.workspace, [first, second], fields));
  };

  const registryOf = (repository: Named, token = team.deployer.token, host = '127.0.0.1'): Registry => {
    const { port } = new URL(urlFor(service, driver));
    const path = `/${packageType}/${team.workspace.name}/${repository.name}`;
    if (driver.isOverTls) return { ...tls, url: tls.url + path, token };
    return { url: `http://${host}:${port}${path}`, token };
  };

  const newPackage = (fields: Partial<Package> = {}): Package => ({
    name: driver.nameOf(uniqueName('package')),
    version: '1.0.0',
    content: `content ${uniqueName()}`,
    ...fields,
  });

  const publish = (repository: Named, each: Package, token?: string): Promise<Ran> =>
    driver.publish(sandbox(), registryOf(repository, token), each);

  const published = async (repository: Named, fields?: Partial<Package>): Promise<Package> => {
    const each = newPackage(fields);
    const { isFailed, output } = await publish(repository, each);
    if (isFailed) throw new Error(`${each.name} was not published:\n${output}`);
    return each;
  };

  /** Installs a package into an empty project, and returns its content. */
  const installed = async (repository: Named, wanted: Wanted, at = sandbox()): Promise<string> => {
    const { isFailed, output } = await driver.install(at, registryOf(repository), wanted);
    if (isFailed) throw new Error(`${wanted.name} was not installed:\n${output}`);
    return driver.contentOf(at, wanted.name);
  };

  const expectRefusal = ({ isFailed, output }: Ran, words: RegExp): void => {
    expect({ isFailed, output }).toEqual({ isFailed: true, output: expect.stringMatching(words) as string });
  };

  it('publishes a package, and installs it into an empty project', async () => {
    const repository = await local();
    const { name, content } = await published(repository);
    expect(await installed(repository, { name })).toBe(content);
  });

  it('installs a large package, which comes by a redirect to another host', async () => {
    const repository = await local();
    // Random, so that it stays large when it is packed.
    const { name, content } = await published(repository, { content: randomBytes(300_000).toString('base64') });
    expect(await installed(repository, { name })).toBe(content);
  });

  const { republished } = driver.prints;
  if (republished)
    it('prints why a version is not published a second time', async () => {
      const repository = await local();
      const { name, content } = await published(repository);
      expectRefusal(await publish(repository, newPackage({ name })), republished);
      expect(await installed(repository, { name })).toBe(content);
    });
  else
    it('installs the latest revision of a version', async () => {
      const repository = await local();
      const { name } = await published(repository);
      const { content } = await published(repository, { name });
      expect(await installed(repository, { name })).toBe(content);
    });

  it('prints that a level is too low', async () => {
    const repository = await local();
    const each = newPackage();
    expectRefusal(await publish(repository, each, team.viewer.token), driver.prints.levelTooLow);
    expect((await driver.install(sandbox(), registryOf(repository), each)).isFailed).toBe(true);
  });

  it('prints that a credential is wrong', async () => {
    const repository = await local();
    const each = await published(repository);
    const wrong = `${team.deployer.token.slice(0, -1)}~`;
    expectRefusal(await publish(repository, newPackage(), wrong), driver.prints.wrongCredential);
    const ran = await driver.install(sandbox(), registryOf(repository, wrong), each);
    expectRefusal(ran, driver.prints.wrongCredential);
  });

  it('installs through a virtual repository what is local and what is upstream', async () => {
    const repository = await virtual();
    const theirs = newPackage();
    // Before anybody asks: some clients read the list of all packages before they publish.
    await offer(upstream, packageType, theirs);
    const ours = await published(repository);
    expect(await installed(repository, { name: ours.name })).toBe(ours.content);
    expect(await installed(repository, { name: theirs.name })).toBe(theirs.content);
  });

  it('installs what a remote repository has kept without a question to the upstream', async () => {
    const repository = await remote();
    const theirs = newPackage();
    await offer(upstream, packageType, theirs);
    await installed(repository, theirs);
    upstream.reset();
    expect(await installed(repository, theirs)).toBe(theirs.content);
    expect(asked()).toEqual([]);
  });

  it('installs what takes longer than a request, kept or not: it waits where it is sent to wait', async () => {
    const theirs = newPackage({ content: randomBytes(300_000).toString('base64') });
    await offer(upstream, packageType, theirs);
    upstream.answer = slowed(answerMilliseconds, upstream.answer);
    const repositories = driver.triesAgain ? [await remote()] : [await remote(), await remote(null, false)];
    // Documents one after the other, each of which is late, are more than such a client waits for in one run.
    for (let run = 0; driver.triesAgain && run < 6; run += 1)
      for (const repository of repositories) await driver.install(sandbox(), registryOf(repository), theirs);
    const contents = await Promise.all(repositories.map(async (repository) => installed(repository, theirs)));
    expect(contents.map((content) => content === theirs.content)).toEqual(repositories.map(() => true));
  });

  it('installs the kept copy while the upstream is down', async () => {
    const repository = await remote(1);
    const theirs = newPackage();
    await offer(upstream, packageType, theirs);
    await installed(repository, theirs);
    upstream.reset();
    upstream.answer = refusing(503);
    expect(await installed(repository, theirs)).toBe(theirs.content);
    expect(asked()).not.toEqual([]);
  });

  it('installs a new version of the upstream once the copy is no longer fresh', async () => {
    const freshMilliseconds = 2_000;
    const repository = await remote(freshMilliseconds);
    const before = newPackage();
    const after = newPackage({ name: before.name, version: '1.1.0' });
    await offer(upstream, packageType, before);
    expect(await installed(repository, { name: before.name })).toBe(before.content);
    await offer(upstream, packageType, before, after);
    await pause(freshMilliseconds);
    expect(await installed(repository, { name: before.name })).toBe(after.content);
  });

  it('never asks the upstream for a name that is held locally', async () => {
    const repository = await virtual();
    const ours = await published(repository);
    // Until then nobody held the name: some clients look whether a version exists before they publish it.
    upstream.reset();
    const theirs = newPackage({ name: ours.name, version: '9.9.9' });
    await offer(upstream, packageType, theirs);
    expect(await installed(repository, { name: ours.name })).toBe(ours.content);
    const ran = await driver.install(sandbox(), registryOf(repository), { name: ours.name, version: '9.9.9' });
    expect(ran.isFailed).toBe(true);
    // go also asks for the beginnings of a path, which are other names.
    const word = ours.name.split('/').at(-1) ?? '';
    expect(asked().filter((url) => url?.includes(word))).toEqual([]);
  });

  const { lock } = driver;
  if (lock)
    it('installs from another host name what a lock file says', async () => {
      const repository = await local();
      const locked = await published(repository);
      const first = sandbox();
      await installed(repository, { name: locked.name }, first);
      const second = sandbox();
      second.write({
        'project/package.json': first.read('package.json'),
        [`project/${lock.file}`]: first.read(lock.file),
      });
      // So that only the lock file leads to the version of before.
      await published(repository, { name: locked.name, version: '1.1.0' });
      const { isFailed, output } = await lock.install(second, registryOf(repository, team.deployer.token, 'localhost'));
      expect({ isFailed, output }).toEqual({ isFailed: false, output: expect.any(String) as string });
      expect(driver.contentOf(second, locked.name)).toBe(locked.content);
    });
});
