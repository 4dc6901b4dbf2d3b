import type { Driver } from './driver.ts';
import { indexUrl, ofPypi, PythonTools, requirementOf, writeWheel } from './python-tools.ts';

const tools = new PythonTools('uv==0.13.9');

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
  install: (sandbox, registry, wanted) =>
    sandbox.run(
      tools.command('uv'),
      ['pip', 'install', '--no-config', '--target', 'installed', '--python', 'python3', requirementOf(wanted)],
      { UV_DEFAULT_INDEX: indexUrl(registry) },
    ),
  prints: {
    republished: /already exists/,
    levelTooLow: /Only users with canDeploy/,
    wrongCredential: /401/,
  },
};
