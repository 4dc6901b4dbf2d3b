import { join } from 'node:path';
import { chartOf, contentIn, type TestChart } from '../harness/helm.ts';
import { useService } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { useSandboxes } from './client-world.ts';
import { isLeftOut } from './drivers/containers/all.ts';
import type { Ran } from './drivers/driver.ts';
import { helm, runHelm } from './drivers/helm.ts';
import { useImageWorld } from './image-world.ts';

/** Charts that helm keeps in a registry of images: `npm run test:containers`. */
jest.setTimeout(900_000);

const service = useService();
const { team, upstream, local, remoteOver, virtualOver } = useImageWorld(service);
const sandbox = useSandboxes();

(isLeftOut('helm') ? describe.skip : describe)('helm', () => {
  beforeAll(async () => {
    process.stderr.write(`helm ${await helm.prepare()}\n`);
  }, 1_200_000);

  const host = (): string => new URL(service.url).host;

  const addressOf = (repository: Named): string => `oci://${host()}/${team.workspace.name}/${repository.name}`;

  const signIn = (token: string): string[] => [
    'registry',
    'login',
    host(),
    '--plain-http',
    '--username',
    'token',
    '--password',
    token,
  ];

  const newChart = (fields: Partial<TestChart> = {}): TestChart => ({
    name: uniqueName('chart'),
    version: '1.2.3',
    content: uniqueName('content'),
    ...fields,
  });

  const push = async (repository: Named, chart: TestChart, token = team.deployer.token): Promise<Ran> => {
    const place = sandbox();
    place.writeBytes(join('project', 'chart.tgz'), await chartOf(chart));
    return runHelm(place, signIn(token), ['push', 'chart.tgz', addressOf(repository), '--plain-http']);
  };

  const expectSuccess = ({ isFailed, output }: Ran): void => {
    if (isFailed) throw new Error(`helm failed:\n${output}`);
  };

  const pushed = async (repository: Named, fields?: Partial<TestChart>): Promise<TestChart> => {
    const chart = newChart(fields);
    expectSuccess(await push(repository, chart));
    return chart;
  };

  /** The content of a chart, pulled where helm has not been before. Without a version, it is the newest one. */
  const pulled = async (repository: Named, { name, version }: Partial<TestChart>): Promise<string | undefined> => {
    const place = sandbox();
    const wanted = version === undefined ? [] : ['--version', version];
    const chart = [`${addressOf(repository)}/${name}`, ...wanted, '--plain-http'];
    expectSuccess(await runHelm(place, signIn(team.deployer.token), ['pull', ...chart, '--untar']));
    return contentIn(place.read(`${name}/templates/content.yaml`));
  };

  const expectRefusal = ({ isFailed, output }: Ran, words: RegExp): void => {
    expect({ isFailed, output }).toEqual({ isFailed: true, output: expect.stringMatching(words) as string });
  };

  it('pushes a chart as an image, and pulls it', async () => {
    const repository = await local();
    const chart = await pushed(repository);
    expect(await pulled(repository, chart)).toBe(chart.content);
  });

  it('shows and installs a chart', async () => {
    const repository = await local();
    const { name, version, content } = await pushed(repository);
    const chart = [`${addressOf(repository)}/${name}`, '--version', version, '--plain-http'];
    const shown = ['show', 'chart', ...chart];
    const ran = await runHelm(sandbox(), signIn(team.deployer.token), shown, ['install', 'it', ...chart, '--dry-run']);
    expectSuccess(ran);
    expect(ran.output).toContain(`name: ${name}`);
    expect(contentIn(ran.output)).toBe(content);
  });

  it('pulls the newest version, which may have build metadata', async () => {
    const repository = await local();
    const { name } = await pushed(repository, { version: '1.9.0' });
    const newest = await pushed(repository, { name, version: '1.10.0+build.7' });
    expect(await pulled(repository, { name })).toBe(newest.content);
    expect(await pulled(repository, newest)).toBe(newest.content);
  });

  it('pushes a version again: its tag moves', async () => {
    const repository = await local();
    const before = await pushed(repository);
    const after = await pushed(repository, { name: before.name });
    expect(await pulled(repository, before)).toBe(after.content);
  });

  it('pulls through a remote repository, the second time without a question to the upstream', async () => {
    const source = await local();
    const chart = await pushed(source);
    const remote = await remoteOver(source);
    expect(await pulled(remote, chart)).toBe(chart.content);
    expect(upstream.requests).not.toEqual([]);
    upstream.reset();
    expect(await pulled(remote, chart)).toBe(chart.content);
    expect(upstream.requests).toEqual([]);
  });

  it('pulls through a virtual repository what is local and what is upstream, and pushes through it', async () => {
    const source = await local();
    const theirs = await pushed(source);
    const all = await virtualOver(source);
    const ours = await pushed(all);
    expect(await pulled(all, ours)).toBe(ours.content);
    expect(await pulled(all, theirs)).toBe(theirs.content);
  });

  it('prints that a level is too low', async () => {
    expectRefusal(await push(await local(), newChart(), team.viewer.token), /denied|403/);
  });

  it('prints that a credential is wrong, when it signs in and when it pulls', async () => {
    const repository = await local();
    const { name } = await pushed(repository);
    const wrong = `${team.deployer.token.slice(0, -1)}~`;
    expectRefusal(await runHelm(sandbox(), signIn(wrong)), /401|unauthorized/i);
    const pull = ['pull', `${addressOf(repository)}/${name}`, '--version', '1.2.3', '--plain-http'];
    const refused = await runHelm(sandbox(), [...pull, '--username', 'token', '--password', wrong]);
    expectRefusal(refused, /401|unauthorized/i);
  });
});
