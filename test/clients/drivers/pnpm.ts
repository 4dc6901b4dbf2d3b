import type { Driver, Ran, Registry } from './driver.ts';
import { npmrc, ofNpm, writeDependent, writePackage } from './npm-project.ts';
import type { Sandbox } from './sandbox.ts';
import { FetchedTool } from './tools.ts';

/** A driver of one version of pnpm. */
export const pnpmOf = (tool: FetchedTool): Driver => {
  const run = (sandbox: Sandbox, registry: Registry, ...parameters: string[]): Promise<Ran> => {
    sandbox.write({ 'home/.npmrc': npmrc(registry) });
    return sandbox.run(process.execPath, [tool.script, ...parameters]);
  };
  return {
    ...ofNpm,
    name: 'pnpm',
    prepare: () => tool.prepare(),
    publish: (sandbox, registry, each) => {
      writePackage(sandbox, each);
      return run(sandbox, registry, 'publish', '--no-git-checks');
    },
    install: (sandbox, registry, wanted) => {
      writeDependent(sandbox, wanted);
      return run(sandbox, registry, 'install', '--no-frozen-lockfile');
    },
    prints: {
      republished: /already exists|previously published/,
      levelTooLow: /E403.+Only users with canDeploy/s,
      wrongCredential: /E(?:RR_PNPM_FETCH_)?401/,
    },
    lock: {
      file: 'pnpm-lock.yaml',
      install: (sandbox, registry) => run(sandbox, registry, 'install', '--frozen-lockfile'),
    },
  };
};

export const pnpm = pnpmOf(new FetchedTool('pnpm', '10.34.8', 'bin/pnpm.cjs'));
