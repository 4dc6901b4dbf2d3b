import { emptyRoot } from '../../clients/drivers/debian.ts';
import { commandVersion } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { filesIn } from './packages.ts';

/** A web server with a database and a framework: with what they need about 150 packages of a distribution's main component. */
const wanted = ['apache2', 'postgresql', 'python3-django', 'build-essential'];

/** What Debian signs its releases with, of the package debian-archive-keyring. */
const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';

export const apt: Client = {
  name: 'apt',
  packageType: 'debian',
  registry: 'http://deb.debian.org/debian',
  hosts: ['deb.debian.org'],
  prepare: () => commandVersion('apt-get'),
  commandsIn: (sandbox, { url, token }) => {
    const set = emptyRoot(sandbox, { url, token, distribution: 'bookworm', keys });
    const options = [...set, '-y', '-o', 'APT::Install-Recommends=false'];
    return [
      { file: 'apt-get', parameters: [...options, 'update', '--error-on=any'] },
      { file: 'apt-get', parameters: [...options, 'install', '--download-only', ...wanted] },
    ];
  },
  packagesIn: ({ project }) => filesIn(project, 'cache/archives/*.deb'),
};
