import type { Driver } from './driver.ts';
import { indexUrl, ofPypi, PythonTools, requirementOf, writeWheel } from './python-tools.ts';

const tools = new PythonTools('pip==26.3', 'twine==7.0.0');

/** pip installs, and twine publishes for it. */
export const pip: Driver = {
  ...ofPypi,
  name: 'pip',
  prepare: () => tools.prepare(),
  publish: (sandbox, { url, token }, each) => {
    const wheel = writeWheel(sandbox, each);
    const parameters = ['upload', '--verbose', '--non-interactive', '--disable-progress-bar', wheel];
    return sandbox.run(tools.command('twine'), parameters, {
      TWINE_REPOSITORY_URL: url,
      TWINE_USERNAME: 'token',
      TWINE_PASSWORD: token,
    });
  },
  install: (sandbox, registry, wanted) =>
    sandbox.run(
      tools.command('pip'),
      ['install', '--no-input', '--target', 'installed', '--upgrade', requirementOf(wanted)],
      { PIP_INDEX_URL: indexUrl(registry), PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_CONFIG_FILE: '/dev/null' },
    ),
  prints: {
    republished: /409 Conflict[\s\S]+already exists/,
    levelTooLow: /403 Forbidden[\s\S]+Only users with canDeploy/,
    wrongCredential: /401/,
  },
};
