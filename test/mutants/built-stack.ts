import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { builtFileName } from '../../shared/http/built-file.ts';
import { synthesise, variablesOf } from '../harness/assembly.ts';
import { hashPasswords } from '../harness/credentials.ts';

/** Where the tests of a copy find the stack, and what else takes long to make. */
export type Variables = Readonly<Record<string, string>>;

/** The modules of the copy that build its stack; none of them is read again after a bug was planted. */
interface Builders {
  readonly bundles: typeof import('../../infra/api/bundles.ts');
  readonly assembly: typeof import('../../infra/local/assembly.ts');
  readonly harness: typeof import('../harness/assembly.ts');
}

const loadBuilders = async (copy: string): Promise<Builders> => ({
  bundles: (await import(join(copy, 'infra', 'api', 'bundles.ts'))) as Builders['bundles'],
  assembly: (await import(join(copy, 'infra', 'local', 'assembly.ts'))) as Builders['assembly'],
  harness: (await import(join(copy, 'test', 'harness', 'assembly.ts'))) as Builders['harness'],
});

/**
 * The stack of a copy of the sources. To synthesise it takes longer than most suites, so that is done once. A bug in what only runs
 * in functions changes no more than their bundles; with one that the synthesis runs through, it is done again.
 */
export class BuiltStack {
  private readonly copy: string;
  private readonly folder: string;
  private builders: Builders | undefined;
  private synthesised: ReadonlySet<string> = new Set();
  /** How often the console was built. */
  private consoles = 0;

  constructor(copy: string) {
    this.copy = copy;
    this.folder = join(copy, 'stack');
  }

  /** Takes over what was synthesised of the same sources without a bug. */
  async prepare(): Promise<void> {
    const assemblies = await synthesise();
    const passwords = `${assemblies}.passwords.json`;
    await hashPasswords(passwords);
    cpSync(assemblies, this.folder, { recursive: true });
    cpSync(passwords, join(this.folder, 'passwords.json'));
    this.builders = await loadBuilders(this.copy);
    this.synthesised = await this.filesOfSynthesis();
  }

  /** Of the sources without a bug. */
  get variables(): Variables {
    return { ...variablesOf(this.folder), STOCKROOM_HASHED_PASSWORDS: join(this.folder, 'passwords.json') };
  }

  /** Runs tests on the stack of the sources with a bug in one file, and makes the stack what it was. */
  async withBugIn<T>(file: string, run: (variables: Variables) => Promise<T>): Promise<T> {
    const variables = { ...this.variables, ...passwordsWithBugIn(file) };
    const isOfConsole = file.startsWith('functions/console/app/');
    // The templates may be others, or all bundles.
    if (this.synthesised.has(file) || /^infra\/(?!local\/)/.test(file) || !(isOfConsole || file.endsWith('.ts')))
      return run({ ...variables, ...variablesOf(await this.built().harness.synthesise()) });
    const originals = isOfConsole ? await this.rebuildConsole() : await this.rebuild(file);
    try {
      return await run(variables);
    } finally {
      for (const [path, bytes] of originals) writeFileSync(path, bytes);
    }
  }

  /** Builds the bundles that hold a file, and puts them where the others were; returns those. */
  private async rebuild(file: string): Promise<ReadonlyMap<string, Buffer>> {
    const { bundles, assembly } = this.built();
    const metafilePath = join(this.folder, 'plain', 'metafile.json');
    const before = JSON.parse(readFileSync(metafilePath, 'utf8')) as Metafile;
    const ids = Object.entries(before.outputs).flatMap(([output, { entryPoint }]) =>
      entryPoint && leadsTo(entryPoint, file, before) ? [output.replace(/^build\/|\/index\.js$/g, '')] : [],
    );
    if (ids.length === 0) return new Map();
    const outdir = join(this.copy, 'build');
    await bundles.bundle(ids, 'functions', outdir);
    const metafile = JSON.parse(readFileSync(join(outdir, 'metafile.json'), 'utf8')) as Metafile;
    const { originals, replace } = replacing();
    replace(metafilePath, JSON.stringify({ ...metafile, outputs: { ...before.outputs, ...metafile.outputs } }));
    const door = { id: bundles.doorBundleId, directory: join(this.folder, 'door', bundles.doorBundleId) };
    for (const { id, directory } of [...this.functions(assembly), door])
      if (ids.includes(id))
        for (const name of readdirSync(join(outdir, id)).filter((each) => /\.js(?:\.map)?$/.test(each)))
          replace(join(directory, name), readFileSync(join(outdir, id, name)));
    return originals;
  }

  /** Builds the page and the script of the console, whose sources no module imports, and puts them where the others were; returns those. */
  private async rebuildConsole(): Promise<ReadonlyMap<string, Buffer>> {
    this.consoles += 1;
    // A module that was loaded before has built its script before.
    const path = `${join(this.copy, 'infra', 'api', 'console-page.ts')}?${this.consoles}`;
    const { consolePage, consoleScript } = (await import(path)) as typeof import('../../infra/api/console-page.ts');
    const made = new Map([
      ['console/get-console-page', gzipSync(await consolePage())],
      ['console/get-console-script', gzipSync(await consoleScript())],
    ]);
    const { originals, replace } = replacing();
    for (const { id, directory } of this.functions(this.built().assembly)) {
      const bytes = made.get(id);
      if (bytes) replace(join(directory, builtFileName), bytes);
    }
    return originals;
  }

  private functions({ readAssembly }: Builders['assembly']) {
    return ['plain', 'door', 'front', 'edge'].flatMap((name) => readAssembly(join(this.folder, name)).functions);
  }

  /** What `infra/app.ts` imports, and so on. */
  private async filesOfSynthesis(): Promise<ReadonlySet<string>> {
    const { metafile } = await build({
      absWorkingDir: this.copy,
      entryPoints: [join('infra', 'app.ts')],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      // The grammar of files of a package type is loaded by its functions alone.
      external: ['*/format.ts'],
      outdir: 'unwritten',
      write: false,
      metafile: true,
    });
    return new Set(Object.keys(metafile.inputs));
  }

  private built(): Builders {
    if (!this.builders) throw new Error('The stack of the copy is not prepared.');
    return this.builders;
  }
}

/** Writes files, and keeps what they were. */
const replacing = () => {
  const originals = new Map<string, Buffer>();
  const replace = (path: string, bytes: string | Buffer): void => {
    // A part of a bundle has its hash in its name. One that is left over is never loaded.
    if (existsSync(path)) originals.set(path, readFileSync(path));
    writeFileSync(path, bytes);
  };
  return { originals, replace };
};

/** Whether a module imports a file. What a bundle holds of it does not say so: a constant is put where it is used. */
const leadsTo = (module: string, file: string, { inputs }: Metafile, seen = new Set<string>()): boolean => {
  if (module === file) return true;
  if (seen.has(module)) return false;
  seen.add(module);
  return inputs[module]?.imports.some(({ path }) => leadsTo(path, file, { inputs, outputs: {} }, seen)) ?? false;
};

/** A bug in what hashes passwords must be in the hashes, too: then each test makes its own. */
const passwordsWithBugIn = (file: string): Variables =>
  file.startsWith('shared/auth/') ? { STOCKROOM_HASHED_PASSWORDS: '' } : {};
