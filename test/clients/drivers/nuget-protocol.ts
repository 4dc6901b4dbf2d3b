import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../infra/local/sources.ts';
import { nupkgOf } from '../../types/nupkgs.ts';
import type { Driver, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';

const run = promisify(execFile);

/*
 * The SDK of .NET is in few registries. A tool on PyPI brings the runtime of .NET 8 and the libraries of NuGet 6.7, with a
 * host that starts one assembly: NugetClient.cs takes its place.
 */
const packed = { name: 'artifacts-keyring', version: '1.0.0' };
const hostFolder = 'artifacts_keyring/plugins/plugins/netcore/CredentialProvider.Microsoft';
const assembly = 'CredentialProvider.Microsoft';

const directory = join(projectRoot, 'node_modules', '.cache', 'stockroom-clients', 'nuget-protocol-6.7.1');

/** The program, as a command. */
export const nugetClient = join(directory, assembly);

/** .NET needs this where there is no ICU. */
export const nugetVariables = { DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1', DOTNET_CLI_TELEMETRY_OPTOUT: '1' };

const build = async (folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const label = `${packed.name}==${packed.version}`;
  await run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, label]);
  await run('sh', ['-c', 'python3 -m zipfile -e *.whl unpacked'], { cwd: folder });
  const host = join(folder, 'unpacked', hostFolder);
  const libraries = ['Common', 'Configuration', 'Packaging', 'Protocol', 'Versioning'].map(
    (name) => `-r:${join(host, `NuGet.${name}.dll`)}`,
  );
  const others = ['Facades/netstandard.dll', 'Facades/System.Runtime.dll', 'System.IO.Compression.FileSystem'];
  const references = [...libraries, ...others.map((name) => `-r:${name}`)];
  const source = join(projectRoot, 'test', 'clients', 'drivers', 'NugetClient.cs');
  await run('mcs', [`-out:${join(host, `${assembly}.dll`)}`, ...references, source]);
  cpSync(host, join(folder, 'host'), { recursive: true });
  await run('chmod', ['+x', join(folder, 'host', assembly)]);
  renameSync(join(folder, 'host'), directory);
  rmSync(folder, { recursive: true });
};

/** Builds the program beside the other caches, at its first use. */
export const prepareNugetClient = async (): Promise<string> => {
  try {
    if (!existsSync(nugetClient)) await build(`${directory}.new`);
    return 'NuGet.Protocol 6.7.1';
  } catch (error) {
    throw new Error(
      'NuGet.Protocol cannot be built: it needs python3 with pip, and mcs of mono (apt install mono-mcs), or leave it out.',
      { cause: error },
    );
  }
};

/** A driver of NuGet.Protocol, which is pointed at an address below that of a repository. */
const driverOf = (fields: Pick<Driver, 'name' | 'packageType'>, below: string): Driver => {
  const client = async (sandbox: Sandbox, { url, token }: Registry, command: string, ...parameters: string[]) =>
    sandbox.run(nugetClient, [command, url + below, token, ...parameters], nugetVariables);
  return {
    ...fields,
    sendsWhenAsked: true,
    prepare: prepareNugetClient,
    nameOf: (word) => `Acme.${word}`,
    publish: async (sandbox, registry, { name: id, version, content }) => {
      sandbox.writeBytes('project/out.nupkg', nupkgOf({ id, version, content }));
      return client(sandbox, registry, 'push', join(sandbox.project, 'out.nupkg'));
    },
    install: async (sandbox, registry, { name, version }) =>
      client(sandbox, registry, 'install', sandbox.project, name, ...(version === undefined ? [] : [version])),
    contentOf: (sandbox, name) => /<content>(.*)<\/content>/s.exec(sandbox.read(`${name}/content/text.txt`))?.[1] ?? '',
    prints: {
      republished: /\[Warning\].*exists.*409 \(Conflict\)/s,
      levelTooLow: /\[Warning\].*Only users with canDeploy.*403 \(Forbidden\)/s,
      wrongCredential: /401 \(Unauthorized\)/,
    },
  };
};

export const nugetProtocol = driverOf({ name: 'nuget-protocol', packageType: 'nuget' }, '/v3/index.json');
export const nugetProtocolFeed = driverOf({ name: 'nuget-protocol-v2', packageType: 'chocolatey' }, '/');
