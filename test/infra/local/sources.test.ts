import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { digestOfSources, sourceFiles } from '../../../infra/local/sources.ts';
import { assemblyDirectory } from '../../harness/assembly.ts';
import { sourceFiles as modules } from '../../laws/source-files.ts';

const { inputs } = JSON.parse(readFileSync(join(assemblyDirectory(), 'metafile.json'), 'utf8')) as Metafile;

describe('the sources of a start', () => {
  it('are all that is bundled and all that makes the stack', () => {
    const files = new Set(sourceFiles());
    const bundled = Object.keys(inputs).filter((file) => /^(?:functions|shared)\/[^?]*$/.test(file));
    const infra = modules.map(({ path }) => path).filter((path) => /^infra\/(?!local\/)/.test(path));
    expect(bundled.length).toBeGreaterThan(500);
    expect(infra).toContain('infra/stack.ts');
    const settings = ['cdk.json', 'package-lock.json', 'package.json', 'tsconfig.json'];
    expect([...bundled, ...infra, ...settings].filter((file) => !files.has(file))).toEqual([]);
  });

  it('have another digest for another variant and with other files', () => {
    const digests = [['plain'], ['door'], ['plain', ['LICENSE']]] as const;
    expect(new Set(digests.map(([variant, others]) => digestOfSources(variant, others))).size).toBe(3);
    expect(digestOfSources('plain')).toBe(digestOfSources('plain'));
  });
});
