import type { Driver, Registry } from './driver.ts';
import { commandVersion } from './tools.ts';

/** The one file of each package, and the version where a case names none: an address of a file has one. */
const file = 'file.txt';
const onlyVersion = '1.0.0';

const authorization = ({ token }: Registry): string[] => ['--header', `Authorization: Bearer ${token}`];

export const curl: Driver = {
  name: 'curl',
  packageType: 'universal',
  prepare: () => commandVersion('curl'),
  nameOf: (word) => `tools/${word}`,
  publish: (sandbox, registry, { name, version, content }) => {
    sandbox.write({ [`project/${file}`]: content });
    const target = `${registry.url}/${name}/${version}/${file}`;
    return sandbox.run('curl', ['-sS', '--fail-with-body', ...authorization(registry), '-T', file, target]);
  },
  install: (sandbox, registry, { name, version = onlyVersion }) => {
    const source = `${registry.url}/${name}/${version}/${file}`;
    return sandbox.run('curl', ['-sSL', '--fail-with-body', ...authorization(registry), '-o', file, source]);
  },
  contentOf: (sandbox) => sandbox.read(file),
  prints: {
    republished: /VERSION_EXISTS/,
    levelTooLow: /FORBIDDEN.+Only users with canDeploy/s,
    wrongCredential: /error: 401/,
  },
};
