import { PythonTools } from '../../clients/drivers/python-tools.ts';
import type { Client } from '../client.ts';
import { indexUrl, ofPypi, parameters, writeRequirements } from './python-project.ts';

const tools = new PythonTools('pip==26.3', 'twine==7.0.0');

export const pip: Client = {
  ...ofPypi,
  name: 'pip',
  prepare: () => tools.prepare(),
  commandsIn: (sandbox, source) => {
    writeRequirements(sandbox);
    // Compiled modules are a minute of work that no registry sees.
    const first = ['install', '--no-input', '--no-compile', '--progress-bar', 'off'];
    const variables = {
      PIP_INDEX_URL: indexUrl(source),
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_CONFIG_FILE: '/dev/null',
    };
    return [{ file: tools.command('pip'), parameters: [...first, ...parameters], variables }];
  },
};
