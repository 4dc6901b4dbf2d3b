import { credentialScope } from '../../harness/npm-client.ts';
import type { Driver, Package, Registry, Wanted } from './driver.ts';
import type { Sandbox } from './sandbox.ts';

/** What all clients of the type npm have in common. */
export const ofNpm = {
  packageType: 'npm',
  nameOf: (word) => `@acme/${word}`,
  contentOf: (sandbox, name) => sandbox.read(`node_modules/${name}/index.js`),
} as const satisfies Partial<Driver>;

/** The lines of `.npmrc` that docs/clients/npm.md shows. */
export const npmrc = ({ url, token }: Registry): string =>
  `registry=${url}/\n${credentialScope(url)}/:_authToken=${token}\n`;

/** Writes a package to publish. */
export const writePackage = (sandbox: Sandbox, { name, version, content }: Package): void =>
  sandbox.write({
    'project/package.json': JSON.stringify({ name, version, main: 'index.js', license: 'MIT' }),
    'project/index.js': content,
  });

/** Writes a project that depends on a package. */
export const writeDependent = (sandbox: Sandbox, { name, version = '*' }: Wanted): void =>
  sandbox.write({
    'project/package.json': JSON.stringify({
      name: 'app',
      version: '1.0.0',
      private: true,
      dependencies: { [name]: version },
    }),
  });
