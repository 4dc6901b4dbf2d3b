import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentIn } from '../../harness/helm-charts.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { builtCommands, commandVersion } from './tools.ts';

const helmVersion = '3.22.0';
const pushVersion = '0.10.4';

/** The folder with the commands, once they are built. */
let binaries = '';

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
  return commandVersion(join(binaries, 'helm'), 'version');
};

const run = async (sandbox: Sandbox, ...parameters: string[]): Promise<Ran> =>
  sandbox.run(join(binaries, 'helm'), parameters, { HELM_PLUGINS: pluginsOf(binaries) });

/** Runs one command after the other, as long as they succeed. */
const runAll = async (sandbox: Sandbox, ...commands: readonly string[][]): Promise<Ran> => {
  let output = '';
  for (const command of commands) {
    const ran = await run(sandbox, ...command);
    output += ran.output;
    if (ran.isFailed) return { output, isFailed: true };
  }
  return { output, isFailed: false };
};

const addRepository = ({ url, token }: Registry): string[] => [
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
    return runAll(sandbox, addRepository(registry), ['cm-push', 'chart', 'stockroom']);
  },
  install: async (sandbox, registry, { name, version }) => {
    const wanted = version === undefined ? [] : ['--version', version];
    return runAll(
      sandbox,
      addRepository(registry),
      ['repo', 'update'],
      ['pull', `stockroom/${name}`, '--untar', ...wanted],
      // It renders what was pulled. `install --dry-run=client` does the same, but only where it reaches a cluster.
      ['template', 'release', name],
    );
  },
  contentOf: (sandbox, name) => contentIn(sandbox.read(`${name}/templates/content.yaml`)) ?? '',
  prints: {
    republished: /409: .+ already exists, and what was published never changes/,
    levelTooLow: /403: Only users with canDeploy/,
    wrongCredential: /401 Unauthorized/,
  },
};
