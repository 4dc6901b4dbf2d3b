import { arch, platform } from 'node:process';
import { FetchedTool } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { ofNpm, writeManifest, writeNpmrc } from './node-project.ts';

/** The package `bun` downloads its binary in an install script; the binary is a package, too. */
const tool = new FetchedTool(`@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`, '1.4.5', 'bin/bun', {
  isBinary: true,
});

/** The tools of a web application: about 250 packages. */
const medium = {
  axios: '1.21.1',
  eslint: '10.15.0',
  express: '5.3.0',
  react: '19.3.1',
  'react-dom': '19.3.1',
  vite: '8.3.8',
  webpack: '5.112.2',
  'webpack-cli': '7.3.1',
};

/** What Create React App installs: about 1,300 packages. */
const large = { react: '18.3.1', 'react-dom': '18.3.1', 'react-scripts': '5.0.1' };

const bunWith = (name: string, dependencies: Readonly<Record<string, string>>): Client => ({
  ...ofNpm,
  name,
  prepare: () => tool.prepare(),
  commandsIn: (sandbox, source) => {
    writeManifest(sandbox, dependencies);
    writeNpmrc(sandbox, source);
    return [{ file: tool.script, parameters: ['install', '--ignore-scripts', '--no-progress'] }];
  },
});

export const bunClients: readonly Client[] = [bunWith('bun', medium), bunWith('bun-large', large)];
