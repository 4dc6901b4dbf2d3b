import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minify } from '@swc/core';
import { build, type Plugin } from 'esbuild';
import { definitions, ruledTypes } from '../../functions/package-definitions.ts';
import { scriptName } from '../../shared/http/script-name.ts';

const sources = join(import.meta.dirname, '..', '..', 'functions', 'console', 'app');

/** Puts what the package types say to people into the script: each in its folder, so that no list here names them. A type without its lines ends the build. */
export const typeLines: Plugin = {
  name: 'type-lines',
  setup({ onLoad }) {
    onLoad({ filter: /\/console\/app\/type-lines\.ts$/ }, () => {
      const imports = definitions.map(({ name }) => `import * as ${name} from '../../${name}/lines.ts';`);
      const entries = definitions.map(
        ({ name, publishing, hasGate = false }) =>
          `${name}: { ...${name}, publishesFiles: ${publishing.by === 'files'}, hasGate: ${hasGate}, takesVerdicts: ${ruledTypes().includes(name)} }`,
      );
      return { contents: `${imports.join('')}export const typeLines = { ${entries.join(', ')} };`, loader: 'js' };
    });
  },
};

let built: Promise<string> | undefined;

/** The script of the console: Preact, the parser of Markdown, and the app. */
export const consoleScript = (): Promise<string> => {
  built ??= buildScript();
  return built;
};

const buildScript = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents: "import { start } from './main.ts'; start();",
      resolveDir: sources,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [typeLines],
    // The variant of a library for browsers decodes the names of characters through innerHTML.
    conditions: ['worker'],
  });
  // 4 % smaller than what esbuild makes of it, compressed.
  const { code } = await minify(outputFiles[0]?.text ?? '', { module: true, ecma: 2022, compress: true, mangle: true });
  return code;
};

const policyOf = (style: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "connect-src 'self' {{store}}",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    // The one that names the script itself, for its worker.
    'trusted-types worker',
  ].join('; ');

/** The page of the console, and a policy that lets it load its script and call this service and, in place of `{{store}}`, its bucket. */
export const consolePage = async (): Promise<string> => {
  const [page, style, script] = await Promise.all([
    readFile(join(sources, 'page.html'), 'utf8'),
    readFile(join(sources, 'page.css'), 'utf8'),
    consoleScript(),
  ]);
  return (
    page
      .replace('{{policy}}', () => policyOf(style))
      // The policy has the hash of the style: nothing else may stand in the element.
      .replace('/* {{style}} */', () => style)
      .replace('{{script}}', () => `console/${scriptName(script)}`)
  );
};
