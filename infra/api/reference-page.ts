import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { endpoints } from '../../functions/endpoints.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type ErrorCode, errors } from '../../shared/errors.ts';
import { answersOf } from '../../shared/http/contract.ts';
import { problemType } from '../../shared/http/problem.ts';

const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const sources = join(import.meta.dirname, '..', '..', 'functions', 'system', 'reference');

/** The path of the library. */
const scriptPath = (): string => {
  const endpoint = endpoints.find((contract) =>
    answersOf(contract).some((answer) => answer.kind === 'file' && answer.name === 'reference.js'),
  );
  if (!endpoint) throw new Error('No endpoint serves the library of the reference page.');
  return endpoint.path;
};

/** The library of the page. Its path contains the version, because browsers cache the file for good. */
export const referenceScript = async (): Promise<Buffer> => {
  const { version } = JSON.parse(await readFile(join(library, 'package.json'), 'utf8')) as { version: string };
  if (!scriptPath().endsWith(`-${version}.js`))
    throw new Error(`Swagger UI is ${version}: write that into the path ${scriptPath()} of its contract.`);
  return readFile(join(library, 'swagger-ui-bundle.js'));
};

/** The reference page: one file, and a policy that lets it load its library and nothing else. */
export const referencePage = async (): Promise<string> => {
  const [page, style, script, libraryStyle] = await Promise.all([
    readFile(join(sources, 'page.html'), 'utf8'),
    readFile(join(sources, 'page.css'), 'utf8'),
    readFile(join(sources, 'page.js'), 'utf8'),
    readFile(join(library, 'swagger-ui.css'), 'utf8'),
  ]);
  const parts: Readonly<Record<string, string>> = {
    policy: policyOf([script], [libraryStyle, style]),
    libraryStyle,
    style,
    script,
    // Relative to the page, because the API may have any base path.
    libraryPath: scriptPath().slice(1),
    version: packageJson.version,
    errors: (Object.keys(errors) as ErrorCode[]).map(errorParagraph).join('\n'),
  };
  return page.replaceAll(slots, (_, inComment: string | undefined, inText: string | undefined) => {
    const part = parts[inComment ?? inText ?? ''];
    if (part === undefined)
      throw new Error(`The reference page has a slot '${inComment ?? inText}' that nothing fills.`);
    return part;
  });
};

/**
 * `{{name}}`. In a style or a script it stands in a comment, and the blanks around that comment go too, because the policy
 * contains the hash of the text.
 */
const slots = /\s*\/\* \{\{(\w+)\}\} \*\/\s*|\{\{(\w+)\}\}/g;

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policyOf = (scripts: readonly string[], styles: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${scripts.map(hash).join(' ')}`,
    `style-src ${styles.map(hash).join(' ')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The meaning of a kind of problem and what to do; its anchor is the last part of its `type`. */
const errorParagraph = (code: ErrorCode): string => {
  const { status, title, advice } = errors[code];
  const urn = problemType(code);
  const anchor = urn.split(':').at(-1) ?? '';
  const words = escaped(advice).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
  return `<article id="${anchor}"${status >= 500 ? ' class="failed"' : ''}>
<h3><a href="#${anchor}">${status} ${escaped(title)}</a> <code>${code}</code></h3>
<p>${words}</p>
<p class="urn">${urn}</p>
</article>`;
};
