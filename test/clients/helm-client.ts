import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { uniqueName } from '../harness/world.ts';
import { clientWorld, useSandboxes } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import type { Registry } from './drivers/driver.ts';
import { addRepository, helm, runHelm } from './drivers/helm.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { offer, upstreamUrl } from './upstream-content.ts';

/** What helm alone does, beside the cases for every client. */
jest.setTimeout(600_000);

const service = useService();
const upstream = useUpstream();
let registry: Registry;

describeUnlessLeftOut('helm')('helm', () => {
  beforeAll(async () => {
    await helm.prepare();
    const { workspace, deployer, virtual } = await clientWorld(service, {
      packageType: 'helm',
      remoteRepositoryUrl: upstreamUrl(upstream, 'helm'),
      // Each case has an upstream of its own.
      metadataCacheTimeTillRevalidation: 1,
    });
    registry = { url: `${service.url}/helm/${workspace.name}/${virtual.name}`, token: deployer.token };
  }, 1_200_000);

  const emptySandbox = useSandboxes();

  /** A place that knows the repository. */
  const newSandbox = async (): Promise<Sandbox> => {
    const made = emptySandbox();
    await succeed(made, addRepository(registry));
    return made;
  };

  const succeed = async (sandbox: Sandbox, ...commands: readonly (readonly string[])[]): Promise<string> => {
    const { isFailed, output } = await runHelm(sandbox, ...commands);
    if (isFailed) throw new Error(`helm failed:\n${output}`);
    return output;
  };

  it('installs a chart that depends on one of an upstream, where neither has been before', async () => {
    const [name, base] = [uniqueName('chart'), uniqueName('base')];
    await offer(upstream, 'helm', { name: base, version: '1.2.3', content: 'theirs' });
    const author = await newSandbox();
    author.write({
      'project/chart/Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\ndependencies:\n- name: ${base}\n  version: ^1.0.0\n  repository: "${registry.url}"\n`,
      'project/chart/templates/ours.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ours\n  namespace: {{ .Release.Namespace }}\n',
    });
    await succeed(author, ['dependency', 'update', 'chart'], ['cm-push', 'chart', 'stockroom']);
    const installing = await newSandbox();
    const printed = await succeed(installing, ['install', 'release', `stockroom/${name}`, '--dry-run']);
    expect(printed).toContain(`# Source: ${name}/templates/ours.yaml`);
    expect(printed).toContain(`# Source: ${name}/charts/${base}/templates/content.yaml`);
    expect(printed).toContain('<content>theirs</content>');
  });

  it('builds the dependencies of a chart from its lock file', async () => {
    const base = uniqueName('base');
    await offer(upstream, 'helm', { name: base, version: '1.2.3', content: 'theirs' });
    const [first, second] = [await newSandbox(), await newSandbox()];
    const chart = `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- name: ${base}\n  version: ^1.0.0\n  repository: "@stockroom"\n`;
    first.write({ 'project/chart/Chart.yaml': chart });
    await succeed(first, ['dependency', 'update', 'chart']);
    second.write({ 'project/chart/Chart.yaml': chart, 'project/chart/Chart.lock': first.read('chart/Chart.lock') });
    await succeed(second, ['repo', 'update'], ['dependency', 'build', 'chart']);
    expect(second.has(`chart/charts/${base}-1.2.3.tgz`)).toBe(true);
  });

  it('searches the index, and shows what a chart says of itself', async () => {
    const author = await newSandbox();
    const name = uniqueName('chart');
    author.write({
      'project/chart/Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\nappVersion: "7.5"\ndescription: A chart to find\n`,
    });
    await succeed(author, ['cm-push', 'chart', 'stockroom']);
    const user = await newSandbox();
    expect(await succeed(user, ['search', 'repo', name])).toMatch(
      new RegExp(`stockroom/${name}\\s+1\\.0\\.0\\s+7\\.5\\s+A chart to find`),
    );
    expect(await succeed(user, ['show', 'chart', `stockroom/${name}`])).toContain('description: A chart to find');
  });
});
