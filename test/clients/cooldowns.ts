import { createRemote } from '../harness/repositories.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import type { Driver, Ran, Registry, Wanted } from './drivers/driver.ts';
import { npm } from './drivers/npm.ts';
import { pnpm, pnpmOf } from './drivers/pnpm.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { FetchedTool } from './drivers/tools.ts';
import { uv, uvInstall } from './drivers/uv.ts';
import { yarnBerry } from './drivers/yarn-berry.ts';
import { offer, upstreamUrl } from './upstream-content.ts';

/** `npm run test:clients`: what the rules that clients have of their own do with what somebody has just published here. */
jest.setTimeout(300_000);

const service = useService({ environment: reachingLoopback });
const upstream = useUpstream();
const { team, granted } = useTeam(service);
const newSandbox = useSandboxes();

/** A client with a rule of its own, by which everything young is held back but for `@acme/*`, or one name. */
interface Cooldown {
  readonly driver: Driver;
  readonly label: string;
  readonly install: (sandbox: Sandbox, registry: Registry, wanted: Wanted) => Promise<Ran>;
  readonly heldName: string;
  readonly exemptName: string;
  /** What it prints where there is no older version; absent if it takes the young one then. */
  readonly prints?: RegExp;
}

const word = uniqueName('young');

/** Installs with a file of settings, as docs/release-gate.md shows it. */
const withSettings =
  (driver: Driver, file: string, settings: string): Cooldown['install'] =>
  async (sandbox, registry, wanted) => {
    sandbox.write({ [file]: settings });
    return driver.install(sandbox, registry, wanted);
  };

/** pnpm that has a rule of a day without any setting. */
const pnpm11 = pnpmOf(new FetchedTool('pnpm', '11.28.11', 'bin/pnpm.mjs'));

const cooldowns: readonly Cooldown[] = [
  {
    driver: npm,
    label: 'min-release-age of npm',
    install: withSettings(npm, 'project/.npmrc', 'min-release-age=1\nmin-release-age-exclude[]=@acme/*\n'),
    heldName: word,
    exemptName: `@acme/${word}`,
    prints: /ENOVERSIONS/,
  },
  {
    driver: pnpm,
    label: 'minimumReleaseAge of pnpm 11, which nobody has set',
    install: withSettings(pnpm11, 'project/pnpm-workspace.yaml', 'minimumReleaseAgeExclude: ["@acme/*"]\n'),
    heldName: word,
    exemptName: `@acme/${word}`,
  },
  {
    driver: yarnBerry,
    label: 'npmMinimalAgeGate of Yarn',
    install: withSettings(yarnBerry, 'home/.yarnrc.yml', 'npmMinimalAgeGate: 1d\n'),
    heldName: word,
    exemptName: `@acme/${word}`,
    prints: /are quarantined/,
  },
  {
    driver: uv,
    label: 'exclude-newer of uv',
    install: async (sandbox, registry, wanted) =>
      uvInstall(sandbox, registry, wanted, '--exclude-newer', '1 day', '--exclude-newer-package', `acme-${word}=false`),
    heldName: word,
    exemptName: `acme-${word}`,
    prints: /was filtered by `exclude-newer`/,
  },
];

const registryOf = ({ packageType }: Driver, { name }: Named): Registry => ({
  url: `${service.url}/${packageType}/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const succeeded = ({ isFailed, output }: Ran): void =>
  expect({ isFailed, output }).toEqual({ isFailed: false, output });

const hourAgo = (): string => `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z`;

for (const { driver, label, install, heldName, exemptName, prints } of cooldowns)
  describeUnlessLeftOut(driver.name)(label, () => {
    const { packageType } = driver;

    beforeAll(async () => {
      await driver.prepare();
      if (driver === pnpm) await pnpm11.prepare();
    }, 600_000);

    const installed = async (repository: Named, name: string): Promise<string> => {
      const sandbox = newSandbox();
      succeeded(await install(sandbox, registryOf(driver, repository), { name }));
      return driver.contentOf(sandbox, name);
    };

    it('takes the version before a young one of an upstream, but for what is exempt', async () => {
      const remoteRepositoryUrl = upstreamUrl(upstream, packageType);
      const repository = await granted(
        await createRemote(service, team.workspace, { packageType, remoteRepositoryUrl }),
      );
      for (const [name, content] of [
        [heldName, 'old'],
        [exemptName, 'young'],
      ] as const) {
        const [old, young] = [
          { name, version: '1.0.0', content: 'old' },
          { name, version: '1.1.0', content: 'young', publishedAt: hourAgo() },
        ];
        await offer(upstream, packageType, old, young);
        expect(await installed(repository, name)).toBe(content);
      }
    });

    it('does so with what somebody has just published here', async () => {
      const repository = await granted(await service.world.repository(team.workspace, undefined, packageType));
      const registry = registryOf(driver, repository);
      for (const name of [heldName, exemptName])
        succeeded(await driver.publish(newSandbox(), registry, { name, version: '1.0.0', content: 'young' }));
      const ran = await install(newSandbox(), registry, { name: heldName });
      expect(ran).toEqual({ isFailed: prints !== undefined, output: expect.stringMatching(prints ?? /./) });
      expect(await installed(repository, exemptName)).toBe('young');
    });
  });
