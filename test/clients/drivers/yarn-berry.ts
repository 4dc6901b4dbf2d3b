import type { Driver, Ran, Registry } from './driver.ts';
import { ofNpm, writeDependent, writePackage } from './npm-project.ts';
import type { Sandbox } from './sandbox.ts';
import { FetchedTool } from './tools.ts';

const tool = new FetchedTool('@yarnpkg/cli-dist', '4.18.1', 'bin/yarn.js');

const run = (sandbox: Sandbox, { url, token }: Registry, ...parameters: string[]): Promise<Ran> => {
  sandbox.write({
    'project/.yarnrc.yml': [
      `npmRegistryServer: "${url}"`,
      'npmAlwaysAuth: true',
      `npmAuthToken: "${token}"`,
      'unsafeHttpWhitelist: ["127.0.0.1", "localhost"]',
      'npmPreapprovedPackages: ["@acme/*"]',
      'nodeLinker: node-modules',
      'enableTelemetry: false',
      '',
    ].join('\n'),
  });
  return sandbox.run(process.execPath, [tool.script, ...parameters]);
};

export const yarnBerry: Driver = {
  ...ofNpm,
  name: 'yarn-berry',
  prepare: () => tool.prepare(),
  publish: async (sandbox, registry, each) => {
    writePackage(sandbox, each);
    // Yarn packs a project that it has installed.
    const { isFailed, output } = await run(sandbox, registry, 'install', '--no-immutable');
    return isFailed ? { isFailed, output } : run(sandbox, registry, 'npm', 'publish');
  },
  install: (sandbox, registry, wanted) => {
    writeDependent(sandbox, wanted);
    return run(sandbox, registry, 'install', '--no-immutable');
  },
  prints: {
    republished: /already exists, and what was published never changes/,
    levelTooLow: /Only users with canDeploy/,
    wrongCredential: /Invalid authentication|401/,
  },
  lock: {
    file: 'yarn.lock',
    install: (sandbox, registry) => run(sandbox, registry, 'install', '--immutable'),
  },
};
