import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { drivers } from './drivers/all.ts';
import type { Registry } from './drivers/driver.ts';
import { debian } from './updates/debian.ts';
import { gems } from './updates/gems.ts';
import { rpm, rpmOfZypper } from './updates/rpm.ts';
import { type Build, sentAgain, type UpdatedType, wordsOf } from './updates/updater.ts';

/**
 * `npm run test:updates`: publications and updates of the types whose documents hash each other. `UPDATE_ROUNDS` publications in a row are
 * each followed by an update, and each of `UPDATE_CLIENTS` of them by the real client, too. `CROWD_SECONDS` is how long `PUBLISHERS`
 * publish while ten clients update.
 */
jest.setTimeout(7_200_000);

const service = useService();
const sandbox = useSandboxes();
const { team, granted } = useTeam(service);

const numberOf = (variable: string, otherwise: number): number => Number(process.env[variable] ?? otherwise);
const rounds = numberOf('UPDATE_ROUNDS', 20);
const clientRuns = numberOf('UPDATE_CLIENTS', 2);
const crowdSeconds = numberOf('CROWD_SECONDS', 10);
const publishers = numberOf('PUBLISHERS', 50);
const updaters = numberOf('UPDATERS', 10);

const newRegistry = async ({ packageType }: UpdatedType): Promise<Registry> => {
  const { name } = await granted(await service.world.repository(team.workspace, undefined, packageType));
  return { url: `${service.url}/${packageType}/${team.workspace.name}/${name}`, token: team.deployer.token };
};

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** The log says why the service failed. */
let linesBefore = 0;
beforeEach(() => {
  linesBefore = service.logs.length;
});
afterEach(() => {
  expect(service.logs.slice(linesBefore).filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
});

describe.each([debian, rpm, rpmOfZypper, gems])('$packageType by $client', (type) => {
  const hasClient = drivers.some(({ name }) => name === type.client);

  /** Runs the real client. Throws with what it printed if it found anything wrong. */
  const runClient = async (registry: Registry, build: Build): Promise<void> => {
    const { isFailed, output } = await type.runClient(sandbox(), registry, build);
    if (isFailed || /mismatch|bad .*signature/i.test(output)) throw new Error(`${type.client}:\n${output}`);
  };

  it(`shows each of ${rounds} publications at the next update`, async () => {
    const registry = await newRegistry(type);
    const updater = type.updater(registry);
    const prefix = uniqueName('pkg');
    const published: string[] = [];
    const every = Math.max(1, Math.floor(rounds / clientRuns));
    let ran = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const build = { name: `${prefix}-${round % 50}`, version: `1.${round}` };
      await type.publish(registry, build);
      published.push(wordsOf(build));
      const listed = await updater.update();
      expect(published.filter((each) => !listed.has(each))).toEqual([]);
      await updater.download(build);
      if (!hasClient || round % every !== 0) continue;
      await runClient(registry, build);
      ran += 1;
    }
    say(
      `${type.packageType}: ${rounds} publications, each listed by the next update; ${ran} updates by ${type.client}`,
    );
  });

  it(`shows ${updaters} clients what ${publishers} publishers have published, with hashes that hold`, async () => {
    const registry = await newRegistry(type);
    const prefix = uniqueName('pkg');
    const until = Date.now() + crowdSeconds * 1_000;
    const published: string[] = [];
    const refused: string[] = [];
    let updates = 0;
    sentAgain.count = 0;
    const publish = async (number: number): Promise<void> => {
      for (let patch = 1; Date.now() < until; patch += 1) {
        const build = { name: `${prefix}-${number}`, version: `1.${patch}` };
        await type.publish(registry, build);
        published.push(wordsOf(build));
      }
    };
    /** The real client, in a new place each time, beside the others. */
    let ran = 0;
    const runWithin = async (): Promise<void> => {
      while (Date.now() < until) {
        try {
          await runClient(registry, { name: prefix, version: '1.0' });
          ran += 1;
        } catch (error) {
          refused.push(String(error));
        }
      }
    };
    const update = async (): Promise<void> => {
      const updater = type.updater(registry);
      while (Date.now() < until) {
        const before = [...published];
        try {
          const listed = await updater.update();
          refused.push(...before.filter((each) => !listed.has(each)));
          updates += 1;
        } catch (error) {
          refused.push(String(error));
        }
      }
    };
    // An empty repository has no distribution yet.
    await type.publish(registry, { name: prefix, version: '1.0' });
    await Promise.all([
      ...Array.from(Array(publishers).keys(), publish),
      ...Array.from({ length: updaters }, update),
      ...(hasClient ? [runWithin()] : []),
    ]);
    const listed = await type.updater(registry).update();
    say(
      `${type.packageType}: ${published.length} publications, ${updates} updates and ${ran} by ${type.client} in ${crowdSeconds} s, ${sentAgain.count} requests sent again, ${refused.length} refused`,
    );
    expect(refused).toEqual([]);
    expect(published.filter((each) => !listed.has(each))).toEqual([]);
    expect(updates).toBeGreaterThan(0);
  });
});
