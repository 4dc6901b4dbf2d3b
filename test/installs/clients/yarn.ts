import { FetchedTool } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { ofNpm, writeManifest } from './node-project.ts';

const tool = new FetchedTool('@yarnpkg/cli-dist', '4.18.1', 'bin/yarn.js');

/** A server with a database and its tests: about 250 packages. */
const dependencies = {
  eslint: '10.15.0',
  express: '5.3.0',
  fastify: '5.12.8',
  mongoose: '9.12.1',
  prettier: '3.10.1',
  vite: '8.3.8',
  vitest: '5.1.1',
};

export const yarn: Client = {
  ...ofNpm,
  name: 'yarn',
  prepare: () => tool.prepare(),
  commandsIn: (sandbox, { url, token }) => {
    writeManifest(sandbox, dependencies);
    const credential = token === undefined ? [] : ['npmAlwaysAuth: true', `npmAuthToken: "${token}"`];
    const settings = [
      `npmRegistryServer: "${url}"`,
      ...credential,
      'unsafeHttpWhitelist: ["127.0.0.1"]',
      'nodeLinker: node-modules',
      'enableTelemetry: false',
      'enableScripts: false',
    ];
    sandbox.write({ 'project/.yarnrc.yml': `${settings.join('\n')}\n` });
    return [{ file: process.execPath, parameters: [tool.script, 'install', '--no-immutable'] }];
  },
};
