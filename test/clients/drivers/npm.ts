import type { Driver, Ran, Registry } from './driver.ts';
import { npmrc, ofNpm, writeDependent, writePackage } from './npm-project.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion } from './tools.ts';

const run = (sandbox: Sandbox, registry: Registry, ...parameters: string[]): Promise<Ran> => {
  sandbox.write({ 'home/.npmrc': `${npmrc(registry)}update-notifier=false\n` });
  return sandbox.run('npm', parameters);
};

export const npm: Driver = {
  ...ofNpm,
  name: 'npm',
  prepare: () => commandVersion('npm'),
  publish: (sandbox, registry, each) => {
    writePackage(sandbox, each);
    return run(sandbox, registry, 'publish');
  },
  install: (sandbox, registry, wanted) => {
    writeDependent(sandbox, wanted);
    return run(sandbox, registry, 'install');
  },
  prints: {
    republished: /You cannot publish over the previously published versions/,
    levelTooLow: /E403.+Only users with canDeploy/s,
    wrongCredential: /E401/,
  },
  lock: {
    file: 'package-lock.json',
    install: (sandbox, registry) => run(sandbox, registry, 'ci', '--replace-registry-host=always'),
  },
};
