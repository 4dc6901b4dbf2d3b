import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver, Package, Ran, Registry, Wanted } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion } from './tools.ts';

const specOf = ({ name, version, content }: Package): string => `Name: ${name}
Version: ${version}
Release: 1
Summary: A package of a test
License: MIT
BuildArch: noarch
%description
A package of a test.
%install
mkdir -p %{buildroot}/usr/share/${name}
printf '%s' '${content}' > %{buildroot}/usr/share/${name}/content.txt
%files
/usr/share/${name}
`;

/** A package as rpmbuild makes it. */
export const builtRpm = (each: Package): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-rpm-'));
  try {
    const spec = join(folder, 'tool.spec');
    writeFileSync(spec, specOf(each));
    execFileSync('rpmbuild', ['-bb', '--quiet', '--define', `_topdir ${folder}`, spec], { stdio: 'pipe' });
    return readFileSync(join(folder, 'RPMS', 'noarch', `${each.name}-${each.version}-1.noarch.rpm`));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const publish: Driver['publish'] = async (sandbox, { url, token }, each) => {
  sandbox.writeBytes('project/tool.rpm', builtRpm(each));
  return sandbox.run('curl', ['-sSL', '--fail-with-body', '--user', `token:${token}`, '-T', 'tool.rpm', `${url}/`]);
};

/** What clients print of a refusal; they publish with curl. */
const prints: Driver['prints'] = {
  republished: /VERSION_EXISTS/,
  levelTooLow: /FORBIDDEN.+Only users with canDeploy/s,
  wrongCredential: /401|[Ll]ogin failed|credential/,
};

/** What was installed is below this folder of the project, and nothing of this machine is seen. */
const root = 'root';

const contentOf: Driver['contentOf'] = (sandbox, name) => sandbox.read(`${root}/usr/share/${name}/content.txt`);

const wantedName = ({ name, version }: Wanted): string => (version === undefined ? name : `${name}-${version}`);

/** Upstreams of the tests sign nothing, and a remote repository passes that on. */
const isSigned = (url: string): boolean => !/\/remote-[0-9a-f]+$/.test(url);

const settings = ({ url, token, keys }: Registry): string =>
  `[acme]\nname=acme\nbaseurl=${url}\n${isSigned(url) ? `mirrorlist=${url}/mirrorlist\n` : ''}enabled=1\ngpgcheck=0\nrepo_gpgcheck=${isSigned(url) ? 1 : 0}\ngpgkey=${keys === undefined ? `${url}/repodata/repomd.xml.key` : `file://${keys}`}\nusername=token\npassword=${token}\nskip_if_unavailable=0\n`;

/** Runs dnf with one repository, in a root of its own. */
export const runDnf = async (sandbox: Sandbox, registry: Registry, ...parameters: string[]): Promise<Ran> => {
  sandbox.write({ 'project/repos/acme.repo': settings(registry), 'project/logs/hawkey.log': '' });
  const options = {
    reposdir: `${sandbox.project}/repos`,
    cachedir: `${sandbox.project}/cache`,
    persistdir: `${sandbox.project}/state`,
    logdir: `${sandbox.project}/logs`,
    module_platform_id: 'platform:el9',
    retries: '1',
  };
  const set = Object.entries(options).map(([name, value]) => `--setopt=${name}=${value}`);
  const installed = `--installroot=${sandbox.project}/${root}`;
  return sandbox.run('dnf', ['-y', '--disableplugin=*', '--releasever=9', installed, ...set, ...parameters]);
};

export const dnf: Driver = {
  name: 'dnf',
  packageType: 'rpm',
  prepare: async () => {
    await commandVersion('rpmbuild');
    return commandVersion('dnf');
  },
  nameOf: (word) => word,
  publish,
  install: async (sandbox, registry, wanted) => runDnf(sandbox, registry, 'install', wantedName(wanted)),
  contentOf,
  prints,
};

/** Runs zypper with one repository, in a root of its own. */
export const runZypper = async (sandbox: Sandbox, registry: Registry, ...parameters: string[]): Promise<Ran> => {
  const { url, token, keys } = registry;
  const address = url.replace('//', `//token:${token}@`);
  const at = ['--root', `${sandbox.project}/${root}`];
  if (keys !== undefined) await sandbox.run('rpm', [...at, '--import', keys]);
  const first = [...at, '--non-interactive', ...(keys === undefined ? ['--gpg-auto-import-keys'] : [])];
  const check = isSigned(url) ? '--gpgcheck-allow-unsigned-package' : '--no-gpgcheck';
  const added = await sandbox.run('zypper', [...first, 'addrepo', check, address, 'acme']);
  const ran = await sandbox.run('zypper', [...first, ...parameters]);
  return { ...ran, output: added.output + ran.output };
};

export const zypper: Driver = {
  name: 'zypper',
  sendsWhenAsked: true,
  packageType: 'rpm',
  prepare: async () => commandVersion('zypper'),
  nameOf: (word) => word,
  publish,
  install: async (sandbox, registry, { name, version }) =>
    runZypper(sandbox, registry, 'install', '--no-recommends', version === undefined ? name : `${name}=${version}`),
  contentOf,
  prints,
};
