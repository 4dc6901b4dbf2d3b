import { FetchedTool } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { ofNpm, writeManifest, writeNpmrc } from './node-project.ts';

const tool = new FetchedTool('pnpm', '10.34.8', 'bin/pnpm.cjs');

/** The tools of a server: about 250 packages. */
const dependencies = {
  axios: '1.21.1',
  eslint: '10.15.0',
  express: '5.3.0',
  vite: '8.3.8',
  webpack: '5.112.2',
  'webpack-cli': '7.3.1',
};

export const pnpm: Client = {
  ...ofNpm,
  name: 'pnpm',
  prepare: () => tool.prepare(),
  commandsIn: (sandbox, source) => {
    writeManifest(sandbox, dependencies);
    writeNpmrc(sandbox, source);
    return [
      { file: process.execPath, parameters: [tool.script, 'install', '--no-frozen-lockfile', '--ignore-scripts'] },
    ];
  },
};
