import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signingKeysVariable } from '../../shared/config.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { rotationOfKeys } from '../types/signing-keys.ts';
import { urlFor, useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { apt } from './drivers/debian.ts';
import type { Driver, Registry } from './drivers/driver.ts';
import { dnf, zypper } from './drivers/rpm.ts';
import { commandVersion } from './drivers/tools.ts';
import { ask } from './updates/updater.ts';

/** `npm run test:clients`: what real clients say of a repository while one key replaces another, and nobody publishes. */
jest.setTimeout(600_000);

const stages = rotationOfKeys();
type Stage = keyof typeof stages;

/** Changes count from the next reload on. */
const variables: Record<string, string> = { ...reachingLoopback, [signingKeysVariable]: stages.before };
const service = useService({ environment: variables });
const sandbox = useSandboxes();
const { team, granted } = useTeam(service);

const turnTo = async (stage: Stage): Promise<void> => {
  variables[signingKeysVariable] = stages[stage];
  await service.runner.reload();
};

const published = async (driver: Driver): Promise<{ registry: Registry; name: string }> => {
  await turnTo('before');
  const repository = await granted(await service.world.repository(team.workspace, undefined, driver.packageType));
  const url = `${urlFor(service, driver)}/${driver.packageType}/${team.workspace.name}/${repository.name}`;
  const registry = { url, token: team.deployer.token };
  const each = { name: uniqueName('pkg'), version: '1.0.0', content: 'signed' };
  const { isFailed, output } = await driver.publish(sandbox(), registry, each);
  if (isFailed) throw new Error(output);
  return { registry, name: each.name };
};

/**
 * The keys that a client fetched in one stage, the stage in which it reads, and whether it finds a signature by one of them. zypper reads
 * the first signature alone: who has the second key without the first one, which the repository told nobody during the rotation, finds none.
 */
const readings: readonly (readonly [fetched: Stage, stage: Stage, isGood: boolean | 'with others than zypper'])[] = [
  ['before', 'before', true],
  ['before', 'during', true],
  ['during', 'during', true],
  ['after', 'during', 'with others than zypper'],
  ['during', 'after', true],
  ['after', 'after', true],
  ['before', 'after', false],
];

const folder = mkdtempSync(join(tmpdir(), 'stockroom-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The keys of each stage in a file. */
const keysOf = async (registry: Registry, path: string): Promise<Readonly<Record<Stage, string>>> => {
  const files = { before: '', during: '', after: '' };
  for (const stage of Object.keys(stages) as Stage[]) {
    await turnTo(stage);
    files[stage] = join(folder, uniqueName(stage));
    writeFileSync(files[stage], (await ask(registry, path)).bytes);
  }
  return files;
};

for (const [driver, path] of [
  [apt, 'key.asc'],
  [dnf, 'repodata/repomd.xml.key'],
  [zypper, 'repodata/repomd.xml.key'],
] as const)
  describeUnlessLeftOut(driver.name)(driver.name, () => {
    it('finds a good signature with the keys of every stage, as long as one of them signs', async () => {
      const { registry, name } = await published(driver);
      const keys = await keysOf(registry, path);
      for (const [fetched, stage, isGood] of readings) {
        await turnTo(stage);
        const { isFailed, output } = await driver.install(sandbox(), { ...registry, keys: keys[fetched] }, { name });
        expect({ stage, fetched, isFailed, output }).toEqual({
          stage,
          fetched,
          isFailed: !(isGood === true || (isGood !== false && driver !== zypper)),
          output: expect.any(String) as string,
        });
      }
    });
  });

it('sqv finds a good signature beside the Release with the keys of every stage', async () => {
  await commandVersion('sqv');
  const { registry } = await published(apt);
  const keys = await keysOf(registry, 'key.asc');
  for (const [fetched, stage, isGood] of readings) {
    await turnTo(stage);
    const at = sandbox();
    at.writeBytes('project/Release', (await ask(registry, 'dists/stable/Release')).bytes);
    at.writeBytes('project/Release.gpg', (await ask(registry, 'dists/stable/Release.gpg')).bytes);
    const { isFailed, output } = await at.run('sqv', ['--keyring', keys[fetched], 'Release.gpg', 'Release']);
    expect({ stage, fetched, isFailed, output }).toEqual({
      stage,
      fetched,
      isFailed: isGood === false,
      output: expect.any(String) as string,
    });
  }
});
