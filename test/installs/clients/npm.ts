import { commandVersion } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { ofNpm, writeManifest, writeNpmrc } from './node-project.ts';

/** The tools of a web application: about 410 packages. */
const dependencies = {
  express: '5.3.0',
  jest: '30.5.2',
  react: '19.3.1',
  'react-dom': '19.3.1',
  webpack: '5.112.2',
  'webpack-cli': '7.3.1',
};

export const npm: Client = {
  ...ofNpm,
  name: 'npm',
  prepare: () => commandVersion('npm'),
  commandsIn: (sandbox, source) => {
    writeManifest(sandbox, dependencies);
    writeNpmrc(sandbox, source);
    return [
      { file: 'npm', parameters: ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'] },
    ];
  },
};
