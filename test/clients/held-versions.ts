import { indexPathOf } from '../../functions/cargo/names.ts';
import { updateRepository } from '../../functions/repositories/contracts.ts';
import { sha256 } from '../harness/bytes.ts';
import { crateFileOf } from '../harness/cargo.ts';
import { packed, packumentOf } from '../harness/npm.ts';
import { wheelName, wheelOf } from '../harness/pypi.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { cargo } from './drivers/cargo.ts';
import type { Driver, Package, Ran } from './drivers/driver.ts';
import { npm } from './drivers/npm.ts';
import { pip } from './drivers/pip.ts';
import type { Sandbox } from './drivers/sandbox.ts';

/** `npm run test:clients`: the story of axios 1.14.1, which was public for three hours, behind a release gate. */
jest.setTimeout(300_000);

const service = useService();
const upstream = useUpstream();
const { team, granted } = useTeam(service);
const newSandbox = useSandboxes();

/** The versions of an upstream: one of last year, and one of an hour ago. */
const times = {
  '1.14.0': '2025-11-01T00:00:00Z',
  '1.14.1': `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z`,
};
const [old, hijacked] = Object.keys(times) as ['1.14.0', '1.14.1'];

type Files = Readonly<Record<string, string | Uint8Array>>;

/** What an upstream of each type answers: paths and contents. */
const contents: Readonly<Record<string, (each: readonly Package[]) => Promise<Files>>> = {
  npm: async (all) => {
    const name = all[0]?.name ?? '';
    const tarballs = await Promise.all(
      all.map(
        async ({ version, content }) =>
          [version, { tarball: await packed({ name, version }, { 'index.js': content }) }] as const,
      ),
    );
    const packument = { ...packumentOf(upstream.url, name, Object.fromEntries(tarballs)), time: times };
    return {
      [`/${name}`]: JSON.stringify(packument),
      ...Object.fromEntries(
        tarballs.map(([version, { tarball }]) => [`/${name}/-/${name.split('/').at(-1)}-${version}.tgz`, tarball]),
      ),
    };
  },
  pypi: async (all) => {
    const files = all.map((each) => {
      const [filename, url] = [wheelName(each), `${upstream.url}/${wheelName(each)}`];
      return {
        filename,
        url,
        hashes: { sha256: sha256(wheelOf(each)) },
        'upload-time': times[each.version as typeof old],
      };
    });
    const name = all[0]?.name ?? '';
    return {
      [`/simple/${name}/`]: JSON.stringify({ meta: { 'api-version': '1.1' }, name, versions: [old, hijacked], files }),
      ...Object.fromEntries(all.map((each) => [`/${wheelName(each)}`, wheelOf(each)])),
    };
  },
  cargo: async (all) => {
    const files = await Promise.all(
      all.map(async ({ name, version, content }) => crateFileOf({ name, version, code: content })),
    );
    const lines = all.map(({ name, version }, at) =>
      JSON.stringify({
        name,
        vers: version,
        deps: [],
        cksum: sha256(files[at] ?? ''),
        features: {},
        yanked: false,
        pubtime: times[version as typeof old],
      }),
    );
    const name = all[0]?.name ?? '';
    return {
      '/config.json': JSON.stringify({ dl: `${upstream.url}/dl` }),
      [`/${indexPathOf(name)}`]: `${lines.join('\n')}\n`,
      ...Object.fromEntries(all.map(({ version }, at) => [`/dl/${name}/${version}/download`, files[at] ?? ''])),
    };
  },
};

const serve = async ({ packageType }: Driver, name: string): Promise<void> => {
  const files = await contents[packageType]?.([old, hijacked].map((version) => ({ name, version, content: version })));
  upstream.answer = ({ url = '' }, response) => {
    const body = files?.[decodeURIComponent(url).split('?')[0] ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  };
};

const gated = async (driver: Driver, releaseGate: object | null): Promise<Named> => {
  const { packageType } = driver;
  return granted(
    await createRemote(service, team.workspace, { packageType, remoteRepositoryUrl: upstream.url, releaseGate }),
  );
};

const patch = async ({ id }: Named, releaseGate: object | null): Promise<unknown> => {
  const params = { workspace: team.workspace.id, repository: id };
  return service.client.succeed(updateRepository, {
    params,
    body: { releaseGate },
    as: (await service.world.systemAdmin()).bearer,
  });
};

const registryOf = ({ packageType }: Driver, { name }: Named) => ({
  url: `${service.runner.url}/${packageType}/${team.workspace.name}/${name}`,
  token: team.viewer.token,
});

/** What each client prints where an exact version is held back. */
const printed: Readonly<Record<string, RegExp>> = {
  npm: /ETARGET/,
  pip: /No matching distribution/,
  cargo: /yanked|failed to select a version/,
};

const contentOf = (driver: Driver, { sandbox }: Installed, name: string): string | undefined =>
  /1\.14\.[01]/.exec(driver.contentOf(sandbox, name))?.[0];

interface Installed {
  readonly sandbox: Sandbox;
  readonly ran: Ran;
}

const succeeded = ({ isFailed, output }: Ran): void =>
  expect({ isFailed, output }).toEqual({ isFailed: false, output });

describe.each([npm, pip, cargo])('$name', (driver) => {
  describeUnlessLeftOut(driver.name)('behind a release gate', () => {
    beforeAll(async () => {
      await driver.prepare();
    }, 1_200_000);

    const installed = async (repository: Named, name: string, version?: string): Promise<Installed> => {
      const sandbox = newSandbox();
      const ran = await driver.install(sandbox, registryOf(driver, repository), { name, ...(version && { version }) });
      return { sandbox, ran };
    };

    it('takes the older version for a range, fails for the exact one, and takes it when it is exempt', async () => {
      const name = driver.nameOf(uniqueName('axios'));
      await serve(driver, name);
      const repository = await gated(driver, { minimumAgeHours: 72 });
      const range = await installed(repository, name);
      succeeded(range.ran);
      expect(contentOf(driver, range, name)).toBe(old);
      const exact = await installed(repository, name, hijacked);
      expect(exact.ran.isFailed).toBe(true);
      expect(exact.ran.output).toMatch(printed[driver.name] ?? /never/);
      await patch(repository, { exempt: [`${name}@${hijacked}`] });
      const after = await installed(repository, name, hijacked);
      succeeded(after.ran);
      expect(contentOf(driver, after, name)).toBe(hijacked);
    });
  });
});

describeUnlessLeftOut('npm')('A lock file of npm', () => {
  it('that names a held version fails with the sentence, and installs it when it is exempt', async () => {
    const name = npm.nameOf(uniqueName('axios'));
    await serve(npm, name);
    const repository = await gated(npm, null);
    const registry = registryOf(npm, repository);
    const first = newSandbox();
    succeeded(await npm.install(first, registry, { name, version: hijacked }));
    const lock = first.read('package-lock.json');
    await patch(repository, { minimumAgeHours: 72 });
    const ci = async (): Promise<Ran> => {
      const place = newSandbox();
      place.write({ 'project/package.json': first.read('package.json'), 'project/package-lock.json': lock });
      return npm.lock?.install(place, registry) ?? Promise.reject(new Error('npm has lock files.'));
    };
    const held = await ci();
    expect(held.isFailed).toBe(true);
    expect(held.output).toContain(
      `${name} ${hijacked} is held back by the release gate of the repository '${repository.name}'`,
    );
    await patch(repository, { exempt: [`${name}@${hijacked}`] });
    succeeded(await ci());
  });
});
