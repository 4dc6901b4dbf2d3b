import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { urlFor, useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { apt } from './drivers/debian.ts';
import type { Driver, Registry } from './drivers/driver.ts';
import { bundler, gem } from './drivers/gems.ts';
import { dnf, zypper } from './drivers/rpm.ts';
import { flipped, tampering } from './tampering.ts';

/** `npm run test:clients`: each client of documents that hash each other refuses a byte that was changed on its way. */
jest.setTimeout(600_000);

const service = useService();
const sandbox = useSandboxes();
const { team, granted } = useTeam(service);

/** What is changed: the paths of it, which byte from the end, and what the client prints then. */
type Tampering = readonly [what: string, paths: RegExp, fromEnd: number, refusal: RegExp];

const cases: readonly (readonly [Driver, readonly Tampering[]])[] = [
  [
    apt,
    [
      ['a Release', /InRelease$/, 300, /signature|invalid|GPG error/i],
      ['a list', /Packages|by-hash/, 20, /Hash Sum mismatch/],
      ['a package', /\.deb$/, 100, /Hash Sum mismatch/],
    ],
  ],
  [
    dnf,
    [
      ['a repomd.xml', /repomd\.xml$/, 30, /signature|GPG/i],
      ['a list', /primary\.xml\.gz$/, 20, /checksum/i],
      ['a package', /\.rpm$/, 5, /checksum/i],
    ],
  ],
  [
    zypper,
    [
      ['a repomd.xml', /repomd\.xml$/, 30, /[Ss]ignature verification failed/],
      ['a list', /primary\.xml\.gz$/, 20, /digest|checksum|wrong/i],
      ['a package', /\.rpm$/, 5, /digest|checksum|wrong/i],
    ],
  ],
  [
    gem,
    [
      ['a gemspec', /\.gemspec\.rz$/, 5, /ERROR/],
      ['a package', /\.gem$/, 2000, /ERROR/],
    ],
  ],
  [bundler, [['a package', /\.gem$/, 2000, /error|invalid|corrupt|checksum/i]]],
];

for (const [driver, tamperings] of cases)
  describeUnlessLeftOut(driver.name)(driver.name, () => {
    const published = async () => {
      const { name } = await granted(await service.world.repository(team.workspace, undefined, driver.packageType));
      const path = `/${driver.packageType}/${team.workspace.name}/${name}`;
      const registryAt = (url: string): Registry => ({ url: url + path, token: team.deployer.token });
      const each = { name: driver.nameOf(uniqueName('pkg')), version: '1.0.0', content: 'as it was published' };
      const { isFailed, output } = await driver.publish(sandbox(), registryAt(urlFor(service, driver)), each);
      if (isFailed) throw new Error(output);
      return { each, registryAt };
    };

    it.each(tamperings)('refuses %s that was changed on its way', async (_, changed, fromEnd, refusal) => {
      const { each, registryAt } = await published();
      let count = 0;
      const { server, url } = await tampering(urlFor(service, driver), (path, bytes) => {
        if (!changed.test(path)) return bytes;
        count += 1;
        return flipped(bytes, fromEnd);
      });
      const { output, isFailed } = await driver.install(sandbox(), registryAt(url), { name: each.name });
      server.close();
      expect({ isFailed, output }).toEqual({ isFailed: true, output: expect.stringMatching(refusal) as string });
      expect(count).toBeGreaterThan(0);
    });

    it('takes what comes the same way unchanged', async () => {
      const { each, registryAt } = await published();
      const { server, url } = await tampering(urlFor(service, driver), (_, bytes) => bytes);
      const at = sandbox();
      const { output, isFailed } = await driver.install(at, registryAt(url), { name: each.name });
      server.close();
      expect({ isFailed, output }).toEqual({ isFailed: false, output: expect.any(String) as string });
      expect(driver.contentOf(at, each.name)).toBe(each.content);
    });
  });
