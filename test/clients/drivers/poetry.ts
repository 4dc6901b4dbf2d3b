import { globSync } from 'node:fs';
import { moduleOf } from '../../harness/pypi.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import { ofPypi, PythonTools, writeWheel } from './python-tools.ts';
import type { Sandbox } from './sandbox.ts';

const tools = new PythonTools('poetry==2.5.1');

/** A project whose only source is the repository, as docs/clients/pypi.md shows. */
const projectOf = ({ url }: Registry, name: string, version: string, dependencies: readonly string[]): string => `
[project]
name = "${name}"
version = "${version}"
requires-python = ">=3.9"
dependencies = ${JSON.stringify(dependencies)}

[tool.poetry]
package-mode = ${dependencies.length === 0}

[[tool.poetry.source]]
name = "stockroom"
url = "${url}/simple/"
`;

/** Runs Poetry with the credential in the environment. */
export const runPoetry = (sandbox: Sandbox, { url, token }: Registry, ...parameters: string[]): Promise<Ran> =>
  sandbox.run(tools.command('poetry'), ['--no-interaction', ...parameters], {
    POETRY_VIRTUALENVS_IN_PROJECT: 'true',
    POETRY_REPOSITORIES_STOCKROOM_URL: `${url}/`,
    POETRY_HTTP_BASIC_STOCKROOM_USERNAME: 'token',
    POETRY_HTTP_BASIC_STOCKROOM_PASSWORD: token,
  });

export const poetry: Driver = {
  ...ofPypi,
  name: 'poetry',
  prepare: () => tools.prepare(),
  publish: (sandbox, registry, each) => {
    writeWheel(sandbox, each);
    sandbox.write({ 'project/pyproject.toml': projectOf(registry, each.name, each.version, []) });
    return runPoetry(sandbox, registry, 'publish', '--repository', 'stockroom', '--dist-dir', '.');
  },
  install: (sandbox, registry, { name, version }) => {
    const dependency = version === undefined ? name : `${name} (==${version})`;
    sandbox.write({ 'project/pyproject.toml': projectOf(registry, 'app', '1.0.0', [dependency]) });
    return runPoetry(sandbox, registry, 'install');
  },
  contentOf: (sandbox, name) => {
    const [file = ''] = globSync(`.venv/lib/*/site-packages/${moduleOf(name)}/content.txt`, { cwd: sandbox.project });
    return sandbox.read(file);
  },
  prints: {
    republished: /409/,
    levelTooLow: /403/,
    wrongCredential: /401|Authorization error/,
  },
};
