import { updateRepository } from '../../functions/repositories/contracts.ts';
import { deleteVerdict, updateVerdict } from '../../functions/verdicts/contracts.ts';
import { gatedTypes } from '../gates/all.ts';
import { createRemote } from '../harness/repositories.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { useTls } from '../harness/tls.ts';
import { useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { urlFor, useSandboxes, useTeam } from './client-world.ts';
import { drivers } from './drivers/all.ts';
import type { Driver, Ran, Registry } from './drivers/driver.ts';
import { goVersion } from './drivers/go.ts';
import { lockFilesOf } from './drivers/lock-files.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { offer, upstreamUrl } from './upstream-content.ts';

/** `npm run test:clients`: the story of axios 1.14.1, which was public for three hours, behind a release gate. */
jest.setTimeout(600_000);

const service = useService({ environment: reachingLoopback });
const upstream = useUpstream();
const tls = useTls(service);
const { team, granted } = useTeam(service);
const newSandbox = useSandboxes();

const [old, hijacked] = ['1.14.0', '1.14.1'] as const;

/** The reason, where a client prints what the service says. */
const sentence = /1\.14\.1 is held back by the release gate of the repository '/;
const conanSentence = /1\.14\.1#\w+ is held back by the release gate of the repository '/;

/** What a client prints where a project names a version that is held back, and where a lock file does. */
const printed: Readonly<Record<string, { readonly exact: RegExp; readonly locked?: RegExp }>> = {
  npm: { exact: /1 version of \S+ is held back by the release gate of .+ETARGET/s, locked: sentence },
  pnpm: { exact: /ERR_PNPM_NO_MATCHING_VERSION/, locked: /ERR_PNPM_FETCH_403/ },
  'yarn-classic': { exact: /Couldn't find any versions for/, locked: /Request failed "403 Forbidden"/ },
  'yarn-berry': { exact: /No candidates found/, locked: /403 \(Forbidden\)/ },
  cargo: { exact: /version 1\.14\.1 is yanked/, locked: sentence },
  composer: { exact: /found \S+\[1\.14\.0\] but it does not match/, locked: /HTTP 403/ },
  conan: { exact: conanSentence, locked: conanSentence },
  gem: { exact: /Could not find a valid gem/ },
  bundler: { exact: /Could not find gem/, locked: /that version can no longer be found in that source/ },
  go: { exact: sentence, locked: sentence },
  helm: { exact: /no chart version found/ },
  pip: { exact: /from versions: 1\.14\.0\).+No matching distribution/s },
  uv: { exact: /there is no version of \S+==1\.14\.1/ },
  poetry: { exact: /which doesn't match any versions/, locked: /0 candidate\(s\) were identified/ },
  maven: { exact: /403/ },
  'maven-3.9': { exact: /403/ },
  'maven-4': { exact: /403/ },
  'nuget-protocol': { exact: /Unable to find/ },
  'nuget-protocol-v2': { exact: /Unable to find/ },
  'nuget-exe': { exact: /is not found in the following primary source/ },
  'nuget-exe-v2': { exact: /Unable to find version/ },
};

const isGated = ({ packageType }: Driver): boolean =>
  gatedTypes({ upstream, ask: async () => Promise.reject(new Error('Nobody asks.')) }).some(
    ({ type }) => type === packageType,
  );

/** A package of an upstream, with a version of last year and one of an hour ago, and a remote repository that has a gate or none. */
interface Hijacked {
  readonly name: string;
  readonly repository: Named;
}

const hijackedPackage = async ({ nameOf, packageType }: Driver, releaseGate: object | null): Promise<Hijacked> => {
  const name = nameOf(uniqueName('axios'));
  const versions = [
    { version: old, publishedAt: '2025-11-01T00:00:00Z' },
    { version: hijacked, publishedAt: `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z` },
  ].map(({ version, publishedAt }) => ({ name, version, publishedAt, content: `content of ${version}` }));
  await offer(upstream, packageType, ...versions);
  const remoteRepositoryUrl = upstreamUrl(upstream, packageType);
  const repository = await createRemote(service, team.workspace, { packageType, remoteRepositoryUrl, releaseGate });
  return { name, repository: await granted(repository) };
};

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

const patch = async ({ repository: { id: repository } }: Hijacked, releaseGate: object): Promise<unknown> =>
  service.client.succeed(updateRepository, {
    params: { workspace: team.workspace.id, repository },
    body: { releaseGate },
    as: await admin(),
  });

const verdictOn = ({ packageType }: Driver, { name }: Hijacked) => ({
  workspace: team.workspace.id,
  packageType,
  package: name,
});

const allow = async (driver: Driver, of: Hijacked): Promise<unknown> =>
  service.client.succeed(updateVerdict, {
    params: verdictOn(driver, of),
    body: {
      verdict: 'allow',
      versions: [driver.packageType === 'go' ? goVersion(hijacked) : hijacked],
      reason: 'Somebody has looked at it.',
    },
    as: await admin(),
  });

const registryOf = (driver: Driver, { repository: { name } }: Hijacked): Registry => {
  const path = `/${driver.packageType}/${team.workspace.name}/${name}`;
  const { token } = team.viewer;
  return driver.isOverTls ? { ...tls, url: tls.url + path, token } : { url: urlFor(service, driver) + path, token };
};

/** What an installation into an empty project left there. */
interface Installed {
  readonly sandbox: Sandbox;
  readonly ran: Ran;
}

const install = async (driver: Driver, of: Hijacked, version?: string): Promise<Installed> => {
  const sandbox = newSandbox();
  const wanted = { name: of.name, ...(version !== undefined && { version }) };
  return { sandbox, ran: await driver.install(sandbox, registryOf(driver, of), wanted) };
};

const succeeded = ({ isFailed, output }: Ran): void =>
  expect({ isFailed, output }).toEqual({ isFailed: false, output });

const failed = ({ isFailed, output }: Ran, words = /never/): void =>
  expect({ isFailed, output }).toEqual({ isFailed: true, output: expect.stringMatching(words) });

const expectInstalled = async (driver: Driver, of: Hijacked, version: string, wanted?: string): Promise<void> => {
  const { sandbox, ran } = await install(driver, of, wanted);
  succeeded(ran);
  expect(driver.contentOf(sandbox, of.name)).toBe(`content of ${version}`);
};

describe.each(drivers.filter(isGated))('$name behind a release gate', (driver) => {
  beforeAll(async () => {
    await driver.prepare();
  }, 1_200_000);

  const words = printed[driver.name];

  it('takes the older version for a range, and no other one until a verdict allows it or it is old enough', async () => {
    const axios = await hijackedPackage(driver, { minimumAgeHours: 72 });
    await expectInstalled(driver, axios, old);
    const refused = async (): Promise<void> => failed((await install(driver, axios, hijacked)).ran, words?.exact);
    await refused();
    await allow(driver, axios);
    await expectInstalled(driver, axios, hijacked, hijacked);
    await service.client.succeed(deleteVerdict, { params: verdictOn(driver, axios), as: await admin() });
    await refused();
    await patch(axios, { minimumAgeHours: 1 });
    await expectInstalled(driver, axios, hijacked, hijacked);
    await expectInstalled(driver, axios, hijacked);
  });

  const locks = lockFilesOf(driver);
  if (locks)
    it('does not install what a lock file names, until a verdict allows it', async () => {
      const axios = await hijackedPackage(driver, null);
      const first = await install(driver, axios, hijacked);
      succeeded(first.ran);
      await patch(axios, { minimumAgeHours: 72 });
      const again = async (): Promise<Ran> => {
        const sandbox = newSandbox();
        sandbox.write(Object.fromEntries(locks.files.map((file) => [`project/${file}`, first.sandbox.read(file)])));
        return locks.install(sandbox, registryOf(driver, axios), axios.name);
      };
      failed(await again(), words?.locked);
      await allow(driver, axios);
      succeeded(await again());
    });
});
