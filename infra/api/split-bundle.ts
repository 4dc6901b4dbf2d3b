import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, transform } from 'esbuild';

type Outputs = Metafile['outputs'];
type Output = Outputs[string];

/** What the file of an output needs when it is loaded: itself, and what it imports at once. */
const loadedWith = (file: string, outputs: Outputs, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind, external } of outputs[file]?.imports ?? [])
    if (!external && kind === 'import-statement') loadedWith(path, outputs, found);
  return found;
};

const bytesOf = (files: Iterable<string>, outputs: Outputs): number =>
  [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);

/** All files of a function as one: with the most bytes that one process loads which serves one package type. */
const asOne = (entry: string, outputs: Outputs): Output => {
  const start = loadedWith(entry, outputs);
  const scripts = Object.entries(outputs).filter(([file]) => file.endsWith('.js'));
  const parts = scripts.map(([file]) => bytesOf(loadedWith(file, outputs, new Set(start)), outputs));
  return {
    ...(outputs[entry] as Output),
    bytes: Math.max(...parts),
    inputs: Object.assign({}, ...scripts.map(([, { inputs }]) => inputs)),
    imports: scripts.flatMap(([, { imports }]) => imports.filter(({ external }) => external)),
  };
};

/**
 * Builds a bundle whose dynamic imports are files of their own beside its `index.js`, so that a process loads only the grammar of
 * the package type that it is asked about. esbuild splits ES modules only; each file then becomes CommonJS, which starts faster.
 */
export const splitBundle = async (
  options: BuildOptions,
  id: string,
  source: string,
  directory: string,
): Promise<Metafile> => {
  const { supported: { 'dynamic-import': _dynamic, ...supported } = {}, ...common } = options;
  const { metafile, outputFiles } = await build({
    ...common,
    supported,
    format: 'esm',
    splitting: true,
    sourcemap: 'inline',
    metafile: true,
    write: false,
    entryPoints: { index: source },
    outdir: join(directory, id),
  });
  await mkdir(join(directory, id), { recursive: true });
  const sizes = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const name = basename(path);
      const { code, map } = await transform(text, {
        format: 'cjs',
        platform: 'node',
        target: options.target ?? 'node24',
        supported: options.supported ?? {},
        minify: true,
        legalComments: 'none',
        sourcemap: 'external',
        sourcesContent: false,
        sourcefile: name,
      });
      const script = `${code}//# sourceMappingURL=${name}.map\n`;
      await Promise.all([writeFile(path, script), writeFile(`${path}.map`, map)]);
      return [relative(options.absWorkingDir ?? '', path), Buffer.byteLength(script)] as const;
    }),
  );
  const outputs = { ...metafile.outputs };
  for (const [file, bytes] of sizes) outputs[file] = { ...(outputs[file] as Output), bytes };
  const entry = relative(options.absWorkingDir ?? '', join(directory, id, 'index.js'));
  return { ...metafile, outputs: { [entry]: asOne(entry, outputs) } };
};
