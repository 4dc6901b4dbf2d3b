import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * A source map that maps each statement at the top of a file to its first line. What is inside a statement has no entry of its own
 * and so belongs to it.
 */
const coarseSourceMap = (content: string): string => {
  const mappings = content.split('\n').map((line) => (/^[\w$]/.test(line) ? 'AAAA' : ''));
  return Buffer.from(JSON.stringify({ version: 3, sources: [''], mappings: mappings.join(';') })).toString('base64');
};

/**
 * Takes the lines of libraries out of the source maps, because Node reads a whole map at once and the SDK's part was a
 * fifth of a cold start. Stack traces show the lines of our own files, and only the file of a library.
 */
export const coarseLibraryMaps: Plugin = {
  name: 'coarse-library-maps',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const content = await readFile(path, 'utf8');
      const map = `data:application/json;base64,${coarseSourceMap(content)}`;
      return { contents: `${content}\n//# sourceMappingURL=${map}`, loader: 'js' };
    });
  },
};
