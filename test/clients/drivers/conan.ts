import type { Driver, Ran, Registry } from './driver.ts';
import { PythonTools } from './python-tools.ts';
import type { Sandbox } from './sandbox.ts';

const tools = new PythonTools('conan==2.34.0');

/** A recipe whose binary is one file. */
const recipeOf = (content: string): string =>
  [
    'from conan import ConanFile',
    'from conan.tools.files import save',
    'class Recipe(ConanFile):',
    '    def package(self):',
    `        save(self, self.package_folder + "/content.txt", ${JSON.stringify(content)})`,
    '',
  ].join('\n');

/** The settings of an empty home: one remote, and a profile without a compiler. */
const writeSettings = (sandbox: Sandbox, { url }: Registry): void =>
  sandbox.write({
    'home/.conan2/remotes.json': JSON.stringify({ remotes: [{ name: 'stockroom', url, verify_ssl: true }] }),
    'home/.conan2/profiles/default': '[settings]\nos=Linux\narch=x86_64\nbuild_type=Release\n',
    'home/.conan2/global.conf': 'core.upload:retry_wait=0\ncore:non_interactive=True\n',
  });

/** Runs Conan with the credential in the environment, as docs/clients/conan.md shows it for builds. */
export const runConan = async (sandbox: Sandbox, registry: Registry, ...lists: (readonly string[])[]): Promise<Ran> => {
  writeSettings(sandbox, registry);
  const variables = { CONAN_LOGIN_USERNAME_STOCKROOM: 'token', CONAN_PASSWORD_STOCKROOM: registry.token };
  return sandbox.runAll(tools.command('conan'), lists, { variables });
};

export const conan: Driver = {
  name: 'conan',
  packageType: 'conan',
  prepare: () => tools.prepare(),
  nameOf: (word) => word,
  publish: async (sandbox, registry, { name, version, content }) => {
    sandbox.write({ 'project/conanfile.py': recipeOf(content) });
    return runConan(
      sandbox,
      registry,
      ['create', '.', '--name', name, '--version', version],
      ['upload', `${name}/*`, '--remote', 'stockroom', '--confirm'],
    );
  },
  install: async (sandbox, registry, { name, version = '[*]' }) =>
    runConan(sandbox, registry, [
      'install',
      `--requires=${name}/${version}`,
      '--update',
      '--lockfile-out=conan.lock',
      '--deployer=direct_deploy',
      '--deployer-folder=installed',
    ]),
  contentOf: (sandbox, name) => sandbox.read(`installed/direct_deploy/${name}/content.txt`),
  prints: {
    levelTooLow: /Only users with canDeploy/,
    wrongCredential: /Authentication error|Wrong user or password/,
  },
};
