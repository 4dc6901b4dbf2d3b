import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nupkgOf } from '../../types/nupkgs.ts';
import type { Driver, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion, FetchedTool } from './tools.ts';

/** A package of npm that has nuget.exe 3.3 in it, the newest that a registry has which is reached without nuget.org. */
const packed = new FetchedTool('nuget-pckg', '2.0.0', 'bin/nuget.exe');

/**
 * nuget.exe 2.8 of Debian (`apt install nuget`), which has the library of choco 1. On mono, it ends the parts of a form with \n alone, which is
 * no form, so 3.3 publishes for it.
 */
const ofDebian = '/usr/lib/nuget/NuGet.exe';

const onMono = async (program: string, version: string): Promise<string> => {
  if (!existsSync(program)) throw new Error(`There is no ${program}: apt install nuget, or leave it out.`);
  return `${version} on mono ${await commandVersion('mono')}`;
};

/** The settings that docs/clients/nuget.md shows: without a password in them, nuget.exe sends no credential. */
const settingsOf = (url: string, token: string): string => `<?xml version="1.0" encoding="utf-8"?>
<configuration>
  <packageSources><clear /><add key="acme" value="${url}" /></packageSources>
  <packageSourceCredentials>
    <acme><add key="Username" value="token" /><add key="ClearTextPassword" value="${token}" /></acme>
  </packageSourceCredentials>
</configuration>
`;

/** A driver of nuget.exe on mono, which is pointed at an address below that of a repository. */
const driverOf = (
  fields: Pick<Driver, 'name' | 'packageType' | 'prepare'>,
  installer: string,
  below: string,
): Driver => {
  const nuget = async (program: string, sandbox: Sandbox, { url, token }: Registry, ...parameters: string[]) => {
    sandbox.write({ 'home/nuget.config': settingsOf(url + below, token) });
    const common = [
      '-Source',
      url + below,
      '-ConfigFile',
      join(sandbox.home, 'nuget.config'),
      '-NonInteractive',
      '-Verbosity',
      'detailed',
    ];
    return sandbox.run('mono', [program, ...parameters, ...common]);
  };
  return {
    ...fields,
    sendsWhenAsked: true,
    nameOf: (word) => `Acme.${word}`,
    publish: async (sandbox, registry, { name: id, version, content }) => {
      sandbox.writeBytes('project/out.nupkg', nupkgOf({ id, version, content }));
      return nuget(packed.script, sandbox, registry, 'push', 'out.nupkg', 'any');
    },
    install: async (sandbox, registry, { name, version }) =>
      nuget(
        installer,
        sandbox,
        registry,
        'install',
        name,
        ...(version === undefined ? [] : ['-Version', version]),
        '-OutputDirectory',
        'packages',
        '-ExcludeVersion',
        '-NoCache',
      ),
    contentOf: (sandbox, name) =>
      /<content>(.*)<\/content>/s.exec(sandbox.read(`packages/${name}/content/text.txt`))?.[1] ?? '',
    prints: { republished: /409/, levelTooLow: /403/, wrongCredential: /401|Unauthorized|credentials/i },
  };
};

export const nugetExe = driverOf(
  {
    name: 'nuget-exe',
    packageType: 'nuget',
    prepare: async () => {
      await packed.fetch();
      return onMono(packed.script, '3.3.0');
    },
  },
  packed.script,
  '/v3/index.json',
);

export const nugetExeFeed = driverOf(
  {
    name: 'nuget-exe-v2',
    packageType: 'chocolatey',
    prepare: async () => onMono(ofDebian, `2.8.7, and ${await nugetExe.prepare()}`),
  },
  ofDebian,
  '/',
);
