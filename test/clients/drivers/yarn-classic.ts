import type { Driver, Ran, Registry } from './driver.ts';
import { npmrc, ofNpm, writeDependent, writePackage } from './npm-project.ts';
import type { Sandbox } from './sandbox.ts';
import { FetchedTool } from './tools.ts';

const tool = new FetchedTool('yarn', '1.22.22', 'bin/yarn.js');

const run = (sandbox: Sandbox, registry: Registry, ...parameters: string[]): Promise<Ran> => {
  sandbox.write({ 'home/.npmrc': `${npmrc(registry)}always-auth=true\n` });
  return sandbox.run(process.execPath, [tool.script, ...parameters, '--non-interactive']);
};

export const yarnClassic: Driver = {
  ...ofNpm,
  name: 'yarn-classic',
  prepare: () => tool.prepare(),
  publish: (sandbox, registry, each) => {
    writePackage(sandbox, each);
    return run(sandbox, registry, 'publish', '--new-version', each.version);
  },
  install: (sandbox, registry, wanted) => {
    writeDependent(sandbox, wanted);
    return run(sandbox, registry, 'install');
  },
  prints: {
    republished: /already exists, and what was published never changes/,
    levelTooLow: /Only users with canDeploy/,
    wrongCredential: /Send a valid personal access token/,
  },
  lock: {
    file: 'yarn.lock',
    install: (sandbox, registry) => run(sandbox, registry, 'install', '--frozen-lockfile'),
  },
};
