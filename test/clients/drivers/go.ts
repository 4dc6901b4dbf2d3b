import type { Driver, Package, Ran, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion } from './tools.ts';

/** The certificate that git, curl and go trust in a sandbox. */
const certificateFile = 'certificate.pem';

/** A module path without a suffix has the major version 1. */
export const goVersion = (version: string): string => `v1${version.slice(version.indexOf('.'))}`;

/** A path or a version in an address. */
export const escapedPath = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

/** The files of a module whose content is a comment. */
export const moduleFiles = ({ name, content }: Package): Record<string, string> => ({
  'go.mod': `module ${name}\n\ngo 1.21\n`,
  'content.go': `package content\n\n// ${content}\nconst Length = ${content.length}\n`,
});

/** Runs commands one after the other, until one fails. */
const inTurn = async (sandbox: Sandbox, commands: readonly (readonly [string, ...string[]])[]): Promise<Ran> => {
  let output = '';
  for (const [command, ...parameters] of commands) {
    const ran = await sandbox.run(command, parameters);
    output += ran.output;
    if (ran.isFailed) return { output, isFailed: true };
  }
  return { output, isFailed: false };
};

/** The settings that docs/clients/go.md shows, and those that keep go from the network and from other versions of itself. */
export const goVariables = (sandbox: Sandbox, { url }: Registry): Record<string, string> => ({
  GOPROXY: url,
  GONOSUMDB: 'corp.example',
  GOFLAGS: '-mod=mod -modcacherw',
  GOTOOLCHAIN: 'local',
  SSL_CERT_FILE: `${sandbox.project}/${certificateFile}`,
});

/** Writes the credential and the certificate. */
export const writeSettings = (sandbox: Sandbox, { url, token, certificate = '' }: Registry): void =>
  sandbox.write({
    'home/.netrc': `machine ${new URL(url).host} login token password ${token}\n`,
    [`project/${certificateFile}`]: certificate,
  });

export const go: Driver = {
  name: 'go',
  packageType: 'go',
  isOverTls: true,
  prepare: async () => {
    await commandVersion('git');
    await commandVersion('zip', '-v');
    return commandVersion('go', 'version');
  },
  nameOf: (word) => `corp.example/Acme/${word}`,
  publish: (sandbox, registry, each) => {
    const version = goVersion(each.version);
    writeSettings(sandbox, registry);
    for (const [file, content] of Object.entries(moduleFiles(each))) sandbox.write({ [`project/${file}`]: content });
    const address = `${registry.url}/${escapedPath(each.name)}/@v/${escapedPath(version)}.zip`;
    return inTurn(sandbox, [
      ['git', 'init', '-q'],
      ['git', 'add', 'go.mod', 'content.go'],
      ['git', '-c', 'user.name=ci', '-c', 'user.email=ci@corp.example', 'commit', '-qm', version],
      ['git', 'archive', '--format=zip', `--prefix=${each.name}@${version}/`, '-o', 'module.zip', 'HEAD'],
      ['zip', '-qd', 'module.zip', '*/'],
      [
        'curl',
        '-sS',
        '--fail-with-body',
        '--cacert',
        certificateFile,
        '-u',
        `token:${registry.token}`,
        '-T',
        'module.zip',
        address,
      ],
    ]);
  },
  install: async (sandbox, registry, { name, version }) => {
    writeSettings(sandbox, registry);
    sandbox.write({
      'project/go.mod': 'module app.example/app\n\ngo 1.21\n',
      'project/main.go': `package main\n\nimport content "${name}"\n\nfunc main() { println(content.Length) }\n`,
    });
    const variables = goVariables(sandbox, registry);
    const wanted = `${name}@${version === undefined ? 'latest' : goVersion(version)}`;
    let ran = await sandbox.run('go', ['get', wanted], variables);
    for (const command of ['verify', 'vendor'])
      if (!ran.isFailed) ran = await sandbox.run('go', ['mod', command], variables);
    return ran;
  },
  contentOf: (sandbox, name) => /^\/\/ (.*)$/m.exec(sandbox.read(`vendor/${name}/content.go`))?.[1] ?? '',
  prints: {
    republished: /VERSION_EXISTS/,
    levelTooLow: /FORBIDDEN.+Only users with canDeploy/s,
    wrongCredential: /401/,
  },
};
