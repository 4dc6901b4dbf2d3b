import { sha256 } from '../harness/bytes.ts';
import { crateFileOf } from '../harness/cargo.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { clientWorld, useSandboxes } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { cargo, runCargo } from './drivers/cargo.ts';
import type { Ran, Registry } from './drivers/driver.ts';
import type { Sandbox } from './drivers/sandbox.ts';

/** What Cargo alone does, beside the cases for every client. */
jest.setTimeout(600_000);

const service = useService();
const upstream = useUpstream();
let workspace: Named;
let deployer: Actor;
let local: Named;
let virtual: Named;

describeUnlessLeftOut('cargo')('cargo', () => {
  beforeAll(async () => {
    await cargo.prepare();
    const remoteRepositoryUrl = upstream.url;
    ({ workspace, deployer, local, virtual } = await clientWorld(service, {
      packageType: 'cargo',
      remoteRepositoryUrl,
    }));
    await service.world.grant(workspace, local, deployer, 'canDeploy');
  });

  const newSandbox = useSandboxes();

  const registryOf = ({ name }: Named): Registry => ({
    url: `${service.url}/cargo/${workspace.name}/${name}`,
    token: deployer.token,
  });

  /** A project with these dependencies. */
  const project = (fields: {
    readonly name: string;
    readonly dependencies: string;
    readonly code: Record<string, string>;
  }) => {
    const made = newSandbox();
    const { name, dependencies, code } = fields;
    const head = `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\nlicense = "MIT"\ndescription = "A crate of a test"\n`;
    made.write({ 'project/Cargo.toml': `${head}\n[dependencies]\n${dependencies}\n` });
    for (const [file, content] of Object.entries(code)) made.write({ [`project/src/${file}`]: content });
    return made;
  };

  const succeed = async (made: Sandbox, repository: Named, ...parameters: string[]): Promise<Ran> => {
    const ran = await runCargo(made, registryOf(repository), ...parameters);
    if (ran.isFailed) throw new Error(`cargo ${parameters.join(' ')} failed:\n${ran.output}`);
    return ran;
  };

  /** What `cargo search` prints of a crate. */
  const shown = (name: string, version: string) => expect.stringContaining(`${name} = "${version}"`) as string;

  /** Lets the upstream offer one version of a library that returns a text, and returns its name. */
  const offered = async (word: string): Promise<string> => {
    const name = uniqueName('public');
    const crate = { name, version: '1.0.0', code: `*/ pub fn word() -> &'static str { "${word}" } /*` };
    const file = await crateFileOf(crate);
    const line = { name, vers: '1.0.0', deps: [], cksum: sha256(file), features: {}, yanked: false };
    upstream.answer = ({ url }, response) => {
      const contents: Readonly<Record<string, string | Uint8Array>> = {
        '/config.json': JSON.stringify({ dl: `${upstream.url}/dl`, api: upstream.url }),
        '/api/v1/crates': JSON.stringify({
          crates: [{ name, max_version: '1.0.0', description: null }],
          meta: { total: 1 },
        }),
        [`/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`]: JSON.stringify(line),
        [`/dl/${name}/1.0.0/download`]: file,
      };
      const content = contents[url?.replace(/\?.*$/, '') ?? ''];
      if (content === undefined) response.writeHead(404).end();
      else response.writeHead(200).end(content);
    };
    return name;
  };

  const callOf = (name: string): string => `${name.replaceAll('-', '_')}::word()`;

  it.each([
    ['of crates.io, which the virtual repository replaces', ''],
    ['of the same registry', ', registry = "acme"'],
  ])('publishes a crate after its build, and runs a program that needs it and its dependency %s', async (_, source) => {
    const theirs = await offered('theirs');
    const ours = uniqueName('ours');
    const library = project({
      name: ours,
      dependencies: `${theirs} = { version = "1"${source} }`,
      code: { 'lib.rs': `pub fn word() -> String { format!("ours and {}", ${callOf(theirs)}) }` },
    });
    await succeed(library, virtual, 'publish', '--registry', 'acme');
    const app = project({
      name: 'app',
      dependencies: `${ours} = { version = "1", registry = "acme" }`,
      code: { 'main.rs': `fn main() { print!("{}", ${callOf(ours)}); }` },
    });
    const { output } = await succeed(app, virtual, 'run', '--quiet');
    expect(output).toBe('ours and theirs');
  });

  it('builds through the virtual repository what was published to one child with a dependency in another one', async () => {
    const theirs = await offered('theirs');
    const ours = uniqueName('ours');
    // Cargo names the registry of a dependency by its address, unless that is the one it publishes to.
    const all = `sparse+${service.url}/cargo/${workspace.id}/${virtual.id}/`;
    const library = project({
      name: ours,
      dependencies: `${theirs} = { version = "1", registry-index = "${all}" }`,
      code: { 'lib.rs': `pub use ${theirs.replaceAll('-', '_')}::word;` },
    });
    library.write({
      'project/.cargo/config.toml': `[registries.all]\nindex = "${all}"\ncredential-provider = "cargo:token"\ntoken = "Bearer ${deployer.token}"\n`,
    });
    await succeed(library, local, 'publish', '--registry', 'acme', '--no-verify');
    const app = project({
      name: 'app',
      dependencies: `${ours} = { version = "1", registry = "acme" }`,
      code: { 'main.rs': `fn main() { print!("{}", ${callOf(ours)}); }` },
    });
    const { output } = await succeed(app, virtual, 'run', '--quiet');
    expect(output).toBe('theirs');
  });

  it('keeps the token that cargo login gets, and removes it at cargo logout', async () => {
    const made = project({ name: uniqueName('ours'), dependencies: '', code: { 'lib.rs': '' } });
    const registry = { ...registryOf(virtual), token: undefined };
    const logged = await runCargo(made, registry, 'login', '--registry', 'acme', `Bearer ${deployer.token}`);
    expect(logged.isFailed).toBe(false);
    const published = await runCargo(made, registry, 'publish', '--registry', 'acme', '--no-verify');
    expect(published).toMatchObject({ isFailed: false });
    await runCargo(made, registry, 'logout', '--registry', 'acme');
    const refused = await runCargo(made, registry, 'publish', '--registry', 'acme', '--no-verify');
    expect(refused).toMatchObject({ isFailed: true, output: expect.stringContaining('no token found') as string });
  });

  it('yanks a version, which no new project gets, and takes that back', async () => {
    const name = uniqueName('ours');
    const library = project({ name, dependencies: '', code: { 'lib.rs': '' } });
    await succeed(library, virtual, 'publish', '--registry', 'acme', '--no-verify');
    const fetched = async (): Promise<Ran> => {
      const app = project({
        name: 'app',
        dependencies: `${name} = { version = "1", registry = "acme" }`,
        code: { 'lib.rs': '' },
      });
      return runCargo(app, registryOf(virtual), 'fetch');
    };
    expect(await fetched()).toMatchObject({ isFailed: false });
    await succeed(library, virtual, 'yank', `${name}@1.0.0`, '--registry', 'acme');
    expect(await fetched()).toMatchObject({ isFailed: true, output: expect.stringContaining('yanked') as string });
    await succeed(library, virtual, 'yank', '--undo', `${name}@1.0.0`, '--registry', 'acme');
    expect(await fetched()).toMatchObject({ isFailed: false });
  });

  it('searches what was published to the virtual repository, and what the upstream of its child finds', async () => {
    const word = uniqueName('word');
    const theirs = await offered(word);
    const ours = `${word}-ours`;
    const library = project({ name: ours, dependencies: '', code: { 'lib.rs': '' } });
    await succeed(library, virtual, 'publish', '--registry', 'acme', '--no-verify');
    const search = async (repository: Named, ...words: string[]): Promise<string> =>
      (await succeed(library, repository, 'search', '--registry', 'acme', ...words)).output;
    expect(await search(local, word.toUpperCase(), 'ours')).toEqual(shown(ours, '1.0.0'));
    const output = await search(virtual, word);
    expect([output, output]).toEqual([shown(ours, '1.0.0'), shown(theirs, '1.0.0')]);
    expect(output).toContain('A crate of a test');
  });

  it('prints why there are no owners, and why a crate is not valid', async () => {
    const name = uniqueName('ours');
    const library = project({ name, dependencies: '', code: { 'lib.rs': '' } });
    const owners = await runCargo(library, registryOf(virtual), 'owner', '--list', '--registry', 'acme', name);
    expect(owners).toMatchObject({
      isFailed: true,
      output: expect.stringContaining('Crates have no owners here') as string,
    });
    await succeed(library, virtual, 'publish', '--registry', 'acme', '--no-verify');
    const other = project({ name: name.toUpperCase(), dependencies: '', code: { 'lib.rs': '' } });
    const refused = await runCargo(other, registryOf(virtual), 'publish', '--registry', 'acme', '--no-verify');
    expect(refused).toMatchObject({
      isFailed: true,
      output: expect.stringContaining(`has the spelling '${name}'`) as string,
    });
  });
});
