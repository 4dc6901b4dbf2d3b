import { gemFile } from '../../functions/gems/full-names.ts';
import { isToken } from '../../shared/auth/tokens.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { gemOf, type TestGem } from '../types/gems.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import type { Ran, Registry } from './drivers/driver.ts';
import { bundle, bundler, gem, runGem } from './drivers/gems.ts';
import { runnable, type Sandbox } from './drivers/sandbox.ts';

/** What gem and Bundler alone do, beside the cases for every client. */
jest.setTimeout(900_000);

const service = useService();
const { team, granted } = useTeam(service, 'canManage');
const sandbox = useSandboxes();

const registryOf = ({ name }: Named): Registry => ({
  url: `${service.url}/gems/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const newRepository = async (): Promise<Named> =>
  granted(await service.world.repository(team.workspace, undefined, 'gems'));

const succeeded = ({ isFailed, output }: Ran): string => {
  if (isFailed) throw new Error(`The client failed:\n${output}`);
  return output;
};

const push = async (repository: Named, each: TestGem): Promise<string> => {
  const [at, { url, token }] = [sandbox(), registryOf(repository)];
  const file = gemFile(`${each.name}-${each.version}${each.platform ? `-${each.platform}` : ''}`);
  at.writeBytes(`project/${file}`, gemOf(each));
  return succeeded(await at.run('gem', ['push', file, '--host', url], { GEM_HOST_API_KEY: token }));
};

const writeGemfile = (at: Sandbox, repository: Named, ...names: string[]): void =>
  at.write({
    'project/Gemfile': `source '${registryOf(repository).url}'\n${names.map((name) => `gem '${name}'\n`).join('')}`,
  });

/** Runs a command at a terminal, and types the given username and password where it asks for them, and nothing where it asks for more. */
const terminal = `
import os, pty, sys
username, password, command = sys.argv[1], sys.argv[2], sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0: os.execvp(command[0], command)
printed = ''
while True:
    try: piece = os.read(terminal, 4096).decode()
    except OSError: break
    if not piece: break
    printed += piece
    if piece.rstrip().endswith((':', ']')):
        last = piece.splitlines()[-1].lower()
        typed = password if 'password' in last else username if 'email' in last else ''
        os.write(terminal, (typed + '\\n').encode())
print(printed)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

describeUnlessLeftOut('gem')('gem', () => {
  beforeAll(async () => gem.prepare());

  it('yanks a version for one platform, which nobody installs any more', async () => {
    const repository = await newRepository();
    const name = uniqueName('gem');
    await push(repository, { name, version: '1.0.0' });
    await push(repository, { name, version: '1.1.0' });
    const { url, token } = registryOf(repository);
    const parameters = ['yank', name, '--version', '1.1.0', '--host', url];
    const yanked = await sandbox().run('gem', parameters, { GEM_HOST_API_KEY: token });
    expect(succeeded(yanked)).toContain(`Yanked ${name}-1.1.0 from ${repository.name}`);
    const again = await sandbox().run('gem', parameters, { GEM_HOST_API_KEY: `Bearer ${token}` });
    // It prints the refusal, and exits with 0 all the same.
    expect(again.output).toContain('This version of the package does not exist.');
    const at = sandbox();
    expect((await gem.install(at, registryOf(repository), { name })).output).toContain(`${name}-1.0.0`);
    expect((await gem.install(sandbox(), registryOf(repository), { name, version: '1.1.0' })).isFailed).toBe(true);
  });

  /** Signs in at a terminal; returns the key that gem keeps, and what it prints. */
  const signIn = async (at: Sandbox, url: string, username: string, password: string) => {
    at.write({ 'project/terminal.py': terminal });
    const command = runnable('gem', ['signin']).flat();
    const ran = await at.run('python3', ['terminal.py', username, password, ...command], { RUBYGEMS_HOST: url });
    const file = at.find('../home', 'credentials');
    return { ...ran, key: file === undefined ? undefined : /^:?"?http[^"]*"?: (\S.*)$/m.exec(at.read(file))?.[1] };
  };

  it.each([
    ['with a password, which it does not keep', (deployer: Actor) => [deployer.username, deployer.password]],
    ['with a token, which it keeps', (deployer: Actor) => ['token', deployer.token]],
  ] as const)('signs in at a terminal %s, and publishes without a key after that', async (_, credential) => {
    const repository = await newRepository();
    const { url } = registryOf(repository);
    const [username = '', password = ''] = credential(team.deployer);
    const each = { name: uniqueName('gem'), version: '1.0.0' };
    const [at, file] = [sandbox(), gemFile(`${each.name}-1.0.0`)];
    at.writeBytes(`project/${file}`, gemOf(each));
    const signedIn = await signIn(at, url, username, password);
    expect(succeeded(signedIn)).toContain('Signed in with API key');
    expect(isToken(signedIn.key ?? '')).toBe(true);
    expect(signedIn.key === password).toBe(username === 'token');
    expect(succeeded(await at.run('gem', ['push', file, '--host', url]))).toContain(each.name);
  });

  it('signs in at a terminal with a token that may only read, and keeps it', async () => {
    const { token } = await service.world.token(team.deployer, null, { readOnly: true });
    const signedIn = await signIn(sandbox(), registryOf(await newRepository()).url, 'token', token);
    expect(succeeded(signedIn)).toContain('Signed in with API key');
    expect(signedIn.key).toBe(token);
  });

  it('lists, searches and fetches by the lists of names and versions', async () => {
    const repository = await newRepository();
    const name = uniqueName('gem');
    for (const version of ['1.9.0', '1.10.0', '2.0.0.pre1']) await push(repository, { name, version });
    const source = registryOf(repository).url.replace('//', `//token:${team.deployer.token}@`);
    const run = async (...parameters: string[]) =>
      succeeded(await runGem(sandbox(), ...parameters, '--clear-sources', '--source', source));
    expect(await run('search', name)).toContain(`${name} (1.10.0)`);
    expect(await run('list', '-r', '--all', name)).toContain(`${name} (1.10.0, 1.9.0)`);
    expect(await run('search', '--pre', name)).toContain('2.0.0.pre1');
    expect(await run('fetch', name)).toContain(`Downloaded ${name}-1.10.0`);
    expect(await run('specification', '-r', name, 'summary')).toContain('A gem of a test');
  });
});

describeUnlessLeftOut('bundler')('bundler', () => {
  beforeAll(async () => bundler.prepare());

  it('installs what a lock file says, and what a gem needs for this platform', async () => {
    const repository = await newRepository();
    const [app, library] = [uniqueName('app'), uniqueName('library')];
    await push(repository, { name: library, version: '1.0.0', content: 'one' });
    await push(repository, { name: app, version: '1.0.0', needs: { [library]: '~> 1.0' } });
    const [first, second] = [sandbox(), sandbox()];
    writeGemfile(first, repository, app);
    succeeded(await bundle(first, registryOf(repository), 'install'));
    await push(repository, { name: library, version: '1.1.0', content: 'two' });
    writeGemfile(second, repository, app);
    second.write({ 'project/Gemfile.lock': first.read('Gemfile.lock') });
    succeeded(await bundle(second, registryOf(repository), 'install', '--frozen'));
    expect(bundler.contentOf(second, library)).toBe('one');
    succeeded(await bundle(second, registryOf(repository), 'config', 'unset', 'frozen'));
    succeeded(await bundle(first, registryOf(repository), 'update'));
    expect(first.read('Gemfile.lock')).toContain(`${library} (1.1.0)`);
  });

  it('reads the index after each of 200 publications, and never meets another hash than that which it was told', async () => {
    const repository = await newRepository();
    const name = uniqueName('gem');
    const at = sandbox();
    writeGemfile(at, repository, name);
    const cached = (): string => {
      const file = at.find('../home/.bundle/cache/compact_index', 'versions');
      return file === undefined ? '' : at.read(file);
    };
    let before = '';
    for (let patch = 0; patch < 200; patch += 1) {
      const { url, token } = registryOf(repository);
      const answer = await fetch(`${url}/api/v1/gems`, {
        method: 'POST',
        headers: { Authorization: token, 'Content-Type': 'application/octet-stream' },
        body: gemOf({ name, version: `1.0.${patch}` }),
      });
      expect(answer.status).toBe(200);
      const output = succeeded(await bundle(at, registryOf(repository), 'lock', '--update'));
      expect(output).not.toMatch(/checksum|does not match|full index/i);
      expect(at.read('Gemfile.lock')).toContain(`${name} (1.0.${patch})`);
      const now = cached();
      expect([now.startsWith(before), now.length > before.length]).toEqual([true, true]);
      before = now;
    }
  });
});
