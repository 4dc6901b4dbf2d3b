import type { Driver, Ran, Registry, Wanted } from './driver.ts';
import { indexUrl, ofPypi, PythonTools, requirementOf, writeWheel } from './python-tools.ts';
import type { Sandbox } from './sandbox.ts';

const tools = new PythonTools('uv==0.13.9');

/** Installs as docs/clients/pypi.md shows it, perhaps with more parameters. */
export const uvInstall = async (
  sandbox: Sandbox,
  registry: Registry,
  wanted: Wanted,
  ...parameters: string[]
): Promise<Ran> =>
  sandbox.run(
    tools.command('uv'),
    [
      'pip',
      'install',
      '--no-config',
      '--target',
      'installed',
      '--python',
      'python3',
      ...parameters,
      requirementOf(wanted),
    ],
    { UV_DEFAULT_INDEX: indexUrl(registry) },
  );

export const uv: Driver = {
  ...ofPypi,
  name: 'uv',
  prepare: () => tools.prepare(),
  publish: (sandbox, { url, token }, each) => {
    const wheel = writeWheel(sandbox, each);
    return sandbox.run(tools.command('uv'), ['publish', '--no-config', wheel], {
      UV_PUBLISH_URL: url,
      UV_PUBLISH_USERNAME: 'token',
      UV_PUBLISH_PASSWORD: token,
    });
  },
  install: (sandbox, registry, wanted) => uvInstall(sandbox, registry, wanted),
  prints: {
    republished: /already exists/,
    levelTooLow: /Only users with canDeploy/,
    wrongCredential: /401/,
  },
};
