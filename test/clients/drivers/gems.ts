import { gemFile } from '../../../functions/gems/full-names.ts';
import { gemOf } from '../../types/gems.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion } from './tools.ts';

/** The address with the credential in it, which gem takes. */
const withCredential = ({ url, token }: Registry): string => url.replace('//', `//token:${token}@`);

/** RubyGems below the project, so that nothing of this machine is seen. */
const variables = (sandbox: Sandbox) => ({ GEM_HOME: `${sandbox.project}/gems`, GEM_PATH: `${sandbox.project}/gems` });

const gemrc = '---\n:sources: []\ngem: --no-document\n';

/** Runs gem with no source but the one that its parameters name. */
export const runGem = async (sandbox: Sandbox, ...parameters: string[]): Promise<Ran> => {
  sandbox.write({ 'home/.gemrc': gemrc });
  return sandbox.run('gem', parameters, variables(sandbox));
};

const contentOf = (sandbox: Sandbox, name: string, folder: string): string => {
  const path = sandbox.find(folder, `${name}.rb`);
  return path === undefined ? '' : (/CONTENT = '(.*)'/s.exec(sandbox.read(path))?.[1] ?? '');
};

const publish: Driver['publish'] = async (sandbox, { url, token }, each) => {
  const file = gemFile(`${each.name}-${each.version}`);
  sandbox.writeBytes(`project/${file}`, gemOf(each));
  return sandbox.run('gem', ['push', file, '--host', url], { ...variables(sandbox), GEM_HOST_API_KEY: token });
};

/** What clients print of a publication; they also publish with gem. */
const prints: Driver['prints'] = {
  republished: /exists/i,
  levelTooLow: /Only users with canDeploy/,
  wrongCredential: /401|Unauthorized|credentials|authentication/i,
};

export const gem: Driver = {
  name: 'gem',
  packageType: 'gems',
  triesAgain: true,
  prepare: async () => commandVersion('gem'),
  nameOf: (word) => word,
  publish,
  install: async (sandbox, registry, { name, version }) =>
    runGem(
      sandbox,
      'install',
      name,
      '--clear-sources',
      '--source',
      withCredential(registry),
      ...(version === undefined ? [] : ['--version', version]),
    ),
  contentOf: (sandbox, name) => contentOf(sandbox, name, 'gems/gems'),
  prints,
};

/** Runs Bundler with the settings that docs/clients/gems.md shows. */
export const bundle = async (sandbox: Sandbox, { url, token }: Registry, ...parameters: string[]): Promise<Ran> => {
  const settings = { [`BUNDLE_${bundleKey(url)}`]: `token:${token}`, BUNDLE_PATH: 'vendor', BUNDLE_RETRY: '2' };
  return sandbox.run('bundle', parameters, { ...settings, BUNDLE_SILENCE_ROOT_WARNING: '1' });
};

/** The name of the setting for a source (Bundler::Settings#key_for). */
const bundleKey = (url: string): string => `${url}/`.replaceAll('.', '__').replaceAll('-', '___').toUpperCase();

export const bundler: Driver = {
  name: 'bundler',
  packageType: 'gems',
  triesAgain: true,
  prepare: async () => commandVersion('bundle'),
  nameOf: (word) => word,
  publish,
  install: async (sandbox, registry, { name, version }) => {
    const wanted = version === undefined ? '' : `, '${version}'`;
    sandbox.write({ 'project/Gemfile': `source '${registry.url}'\ngem '${name}'${wanted}\n` });
    return bundle(sandbox, registry, 'install');
  },
  contentOf: (sandbox, name) => contentOf(sandbox, name, 'vendor'),
  prints,
};
