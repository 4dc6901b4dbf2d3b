import { PythonTools } from '../../clients/drivers/python-tools.ts';
import type { Client } from '../client.ts';
import { indexUrl, ofPypi, parameters, writeRequirements } from './python-project.ts';

const tools = new PythonTools('uv==0.13.9');

export const uv: Client = {
  ...ofPypi,
  name: 'uv',
  prepare: () => tools.prepare(),
  commandsIn: (sandbox, source) => {
    writeRequirements(sandbox);
    const first = ['pip', 'install', '--no-config', '--python', 'python3'];
    const variables = { UV_DEFAULT_INDEX: indexUrl(source) };
    return [{ file: tools.command('uv'), parameters: [...first, ...parameters], variables }];
  },
};
