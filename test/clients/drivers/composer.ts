import { packageZip } from '../../types/composer.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion } from './tools.ts';

/** The credential where docs/clients/composer.md puts it. */
export const writeComposerAuth = (sandbox: Sandbox, { url, token }: Registry): void =>
  sandbox.write({
    'home/.config/composer/auth.json': JSON.stringify({
      'http-basic': { [new URL(url).host]: { username: 'token', password: token } },
    }),
  });

/** The settings that docs/clients/composer.md shows, and what a test without TLS needs. */
export const writeComposerSettings = (
  sandbox: Sandbox,
  registry: Registry,
  require: Readonly<Record<string, string>>,
): void => {
  writeComposerAuth(sandbox, registry);
  sandbox.write({
    'project/composer.json': JSON.stringify({
      repositories: [{ type: 'composer', url: registry.url }, { 'packagist.org': false }],
      require,
      config: { 'secure-http': false },
    }),
  });
};

/** Runs Composer without questions. */
export const runComposer = async (sandbox: Sandbox, ...parameters: string[]): Promise<Ran> =>
  sandbox.run('composer', [...parameters, '--no-interaction', '--no-ansi'], {
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_NO_AUDIT: '1',
  });

/** Publishes the app.zip of the project as docs/clients/composer.md shows it. */
export const sendZip = async (sandbox: Sandbox, { url, token }: Registry): Promise<Ran> =>
  sandbox.run('curl', ['-sS', '--fail-with-body', '-u', `token:${token}`, '--upload-file', 'app.zip', url]);

export const composer: Driver = {
  name: 'composer',
  packageType: 'composer',
  triesAgain: true,
  prepare: async () => {
    await commandVersion('curl');
    // Without curl in PHP, Composer does not try again what an upstream still sends.
    return commandVersion('composer');
  },
  nameOf: (word) => `acme/${word}`,
  publish: async (sandbox, registry, each) => {
    sandbox.writeBytes('project/app.zip', packageZip(each));
    return sendZip(sandbox, registry);
  },
  install: async (sandbox, registry, { name, version = '*' }) => {
    writeComposerSettings(sandbox, registry, { [name]: version });
    return runComposer(sandbox, 'update');
  },
  contentOf: (sandbox, name) => /\/\*(.*)\*\//s.exec(sandbox.read(`vendor/${name}/src/content.php`))?.[1] ?? '',
  prints: {
    republished: /VERSION_EXISTS/,
    levelTooLow: /FORBIDDEN.+Only users with canDeploy/s,
    wrongCredential: /401|credentials/i,
  },
};
