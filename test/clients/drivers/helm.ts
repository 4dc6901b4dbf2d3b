import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentIn } from '../../harness/helm.ts';
import { startCluster } from './cluster.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { builtCommands, commandVersion } from './tools.ts';

const helmVersion = '3.22.0';
const pushVersion = '0.10.4';

/** The folder with the commands, once they are built. */
let binaries = '';
/** The URL of the cluster, once it runs. Nothing is installed in it. */
let cluster = '';

/** The folder of plugins: cm-push as `helm plugin install` leaves it. */
const pluginsOf = (commands: string): string => join(dirname(commands), 'plugins');

const prepare = async (): Promise<string> => {
  binaries = await builtCommands(`helm-${helmVersion}-push-${pushVersion}`, {
    modules: [`helm.sh/helm/v3@v${helmVersion}`, `github.com/chartmuseum/helm-push@v${pushVersion}`],
    commands: ['helm.sh/helm/v3/cmd/helm', 'github.com/chartmuseum/helm-push/cmd/helm-cm-push'],
  });
  const plugin = join(pluginsOf(binaries), 'helm-push');
  mkdirSync(plugin, { recursive: true });
  const command = join(binaries, 'helm-cm-push');
  const lines = ['name: cm-push', `version: ${pushVersion}`, 'usage: push', 'description: push', `command: ${command}`];
  writeFileSync(join(plugin, 'plugin.yaml'), `${lines.join('\n')}\n`);
  cluster = await startCluster();
  return commandVersion(join(binaries, 'helm'), 'version');
};

/** Runs helm, with one list of parameters after the other, as long as it succeeds. */
export const runHelm = async (sandbox: Sandbox, ...commands: readonly (readonly string[])[]): Promise<Ran> =>
  sandbox.runAll(join(binaries, 'helm'), commands, {
    variables: { HELM_PLUGINS: pluginsOf(binaries), HELM_KUBEAPISERVER: cluster },
  });

/** The command that makes a repository known as `stockroom`. */
export const addRepository = ({ url, token }: Registry): string[] => [
  'repo',
  'add',
  'stockroom',
  url,
  '--username',
  'token',
  '--password',
  token,
];

export const helm: Driver = {
  name: 'helm',
  packageType: 'helm',
  prepare,
  nameOf: (word) => word,
  publish: async (sandbox, registry, { name, version, content }) => {
    sandbox.write({
      'project/chart/Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
      'project/chart/templates/content.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: content\ndata:\n  content: |\n    <content>${content}</content>\n`,
    });
    return runHelm(sandbox, addRepository(registry), ['cm-push', 'chart', 'stockroom']);
  },
  install: async (sandbox, registry, { name, version }) => {
    const wanted = version === undefined ? [] : ['--version', version];
    const chart = [`stockroom/${name}`, ...wanted];
    const ran = await runHelm(
      sandbox,
      addRepository(registry),
      ['repo', 'update'],
      ['pull', ...chart, '--untar'],
      ['install', 'release', ...chart, '--dry-run'],
    );
    sandbox.write({ 'project/installed.yaml': ran.output });
    return ran;
  },
  contentOf: (sandbox, name) => {
    const pulled = contentIn(sandbox.read(`${name}/templates/content.yaml`));
    // What helm would send to the cluster must be what it pulled.
    return pulled === contentIn(sandbox.read('installed.yaml')) ? (pulled ?? '') : '';
  },
  prints: {
    republished: /409: .+ already exists, and what was published never changes/,
    levelTooLow: /403: Only users with canDeploy/,
    wrongCredential: /401 Unauthorized/,
  },
};
