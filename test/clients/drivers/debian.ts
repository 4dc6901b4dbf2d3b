import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver, Package, Ran, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion } from './tools.ts';

const controlOf = ({ name, version }: Package): string =>
  `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: Acme <packages@acme.example>\nDescription: A package of a test\n`;

/** A package as dpkg-deb makes it. */
export const builtDeb = (each: Package): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-deb-'));
  try {
    const content = join(folder, 'tree/usr/share', each.name);
    mkdirSync(content, { recursive: true });
    mkdirSync(join(folder, 'tree/DEBIAN'));
    writeFileSync(join(content, 'content.txt'), each.content);
    writeFileSync(join(folder, 'tree/DEBIAN/control'), controlOf(each));
    execFileSync('dpkg-deb', ['--root-owner-group', '--build', 'tree', 'tool.deb'], { cwd: folder, stdio: 'pipe' });
    return readFileSync(join(folder, 'tool.deb'));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const publishByCurl: Driver['publish'] = async (sandbox, { url, token }, each) => {
  sandbox.writeBytes('project/tool.deb', builtDeb(each));
  const to = `${url}/pool/stable/main/`;
  return sandbox.run('curl', ['-sSL', '--fail-with-body', '--user', `token:${token}`, '-T', 'tool.deb', to]);
};

/** What was installed is below this folder of the project, and nothing of this machine is seen. */
const root = 'root';

const contentOf: Driver['contentOf'] = (sandbox, name) => sandbox.read(`${root}/usr/share/${name}/content.txt`);

/** Where apt reads. The keys are a file. */
interface AptSource {
  readonly url: string;
  readonly token?: string | undefined;
  /** A path that ends with a slash where the upstream has no distributions. */
  readonly distribution: string;
  readonly keys: string;
}

/** Files of apt and of dpkg in a root in which nothing is installed. Returns the options with which apt reads them and no others. */
export const emptyRoot = (sandbox: Sandbox, { url, token, distribution, keys }: AptSource): readonly string[] => {
  const component = distribution.endsWith('/') ? '' : ' main';
  sandbox.write({
    'project/etc/sources.list': `deb [signed-by=${keys}] ${url} ${distribution}${component}\n`,
    'project/etc/preferences.d/.none': '',
    'project/etc/auth.conf': token === undefined ? '' : `machine ${url}/ login token password ${token}\n`,
    [`project/${root}/var/lib/dpkg/status`]: '',
    [`project/${root}/var/lib/dpkg/info/none`]: '',
    [`project/${root}/var/lib/dpkg/updates/.none`]: '',
    'project/state/lists/partial/none': '',
    'project/cache/archives/partial/none': '',
  });
  const at = sandbox.project;
  const options: Readonly<Record<string, string>> = {
    'Dir::Etc': `${at}/etc`,
    'Dir::Etc::sourcelist': `${at}/etc/sources.list`,
    'Dir::Etc::netrc': `${at}/etc/auth.conf`,
    'Dir::State': `${at}/state`,
    'Dir::State::status': `${at}/${root}/var/lib/dpkg/status`,
    'Dir::Cache': `${at}/cache`,
    'APT::Sandbox::User': 'root',
    'APT::Architecture': 'amd64',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Debug::NoLocking': 'true',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
};

/** Runs apt-get with one repository, in a root of its own, after it has read the lists. */
export const runApt = async (
  sandbox: Sandbox,
  registry: Registry & Partial<Pick<AptSource, 'distribution'>>,
  ...parameters: string[]
): Promise<Ran> => {
  const { url, token, keys, distribution = 'stable' } = registry;
  const at = sandbox.project;
  const set = emptyRoot(sandbox, { url, token, distribution, keys: `${at}/key.asc` });
  const fetched = ['curl', '-sSL', '--user', `token:${token}`, `${url}/key.asc`, '-o', 'key.asc'];
  const [command = '', ...given] = keys === undefined ? fetched : ['cp', keys, 'key.asc'];
  const key = await sandbox.run(command, given);
  const dpkg = ['--root', `${at}/${root}`].join('=');
  const apt = async (...wanted: string[]): Promise<Ran> =>
    sandbox.run('apt-get', ['-y', ...set, '-o', `DPkg::Options::=${dpkg}`, ...wanted]);
  const updated = await apt('update', '--error-on=any');
  const ran = updated.isFailed ? updated : await apt(...parameters);
  return { ...ran, output: key.output + updated.output + ran.output };
};

const install: Driver['install'] = async (sandbox, registry, { name, version }) =>
  runApt(sandbox, registry, 'install', '--allow-downgrades', version === undefined ? name : `${name}=${version}`);

/** What apt prints of a refusal, and what curl does, with which packages are published. */
const prints: Driver['prints'] = {
  republished: /VERSION_EXISTS/,
  levelTooLow: /FORBIDDEN.+Only users with canDeploy/s,
  wrongCredential: /401/,
};

export const apt: Driver = {
  name: 'apt',
  packageType: 'debian',
  prepare: async () => {
    await commandVersion('dpkg-deb');
    return commandVersion('apt-get');
  },
  nameOf: (word) => word,
  publish: publishByCurl,
  install,
  contentOf,
  prints,
};

/** What dpkg-buildpackage writes about a package. */
const changesOf = ({ name, version }: Package, bytes: Buffer): string => {
  const file = `${name}_${version}_all.deb`;
  const hash = (algorithm: string): string => createHash(algorithm).update(bytes).digest('hex');
  return [
    'Format: 1.8',
    'Date: Thu, 01 Jan 2026 00:00:00 +0000',
    `Source: ${name}`,
    'Architecture: all',
    `Version: ${version}`,
    'Distribution: stable',
    'Maintainer: Acme <packages@acme.example>',
    `Description:\n ${name} - A package of a test`,
    `Changes:\n ${name} (${version}) stable; urgency=low\n .\n   * A change.`,
    `Checksums-Sha1:\n ${hash('sha1')} ${bytes.length} ${file}`,
    `Checksums-Sha256:\n ${hash('sha256')} ${bytes.length} ${file}`,
    `Files:\n ${hash('md5')} ${bytes.length} misc optional ${file}`,
    '',
  ].join('\n');
};

/** dput asks for the password at a terminal, or reads it where there is none. */
const publishByDput: Driver['publish'] = async (sandbox, { url, token }, each) => {
  const bytes = builtDeb(each);
  const { host, pathname } = new URL(url);
  const settings = `[acme]\nfqdn = ${host}\nmethod = http\nlogin = token\nincoming = ${pathname}/pool/stable/main/\nallow_unsigned_uploads = 1\nrun_dinstall = 0\n`;
  const changes = `${each.name}_${each.version}_all.changes`;
  sandbox.write({ 'project/dput.cf': settings, [`project/${changes}`]: changesOf(each, bytes) });
  sandbox.writeBytes(`project/${each.name}_${each.version}_all.deb`, bytes);
  const upload = `printf '%s\\n' "$TOKEN" | setsid -w dput -u -c dput.cf acme ${changes} 2>&1`;
  return sandbox.run('sh', ['-c', upload], { TOKEN: token });
};

export const dput: Driver = {
  ...apt,
  name: 'dput',
  sendsWhenAsked: true,
  prepare: async () => commandVersion('dput'),
  publish: publishByDput,
  prints: { republished: /409/, levelTooLow: /403/, wrongCredential: /401|unauthorized/ },
};
