import { join } from 'node:path';
import type { Sandbox } from '../../clients/drivers/sandbox.ts';
import { credentialScope } from '../../harness/npm-client.ts';
import type { Client, Source } from '../client.ts';
import { nodePackagesIn } from './packages.ts';

/** What all clients of npm's registry have in common. */
export const ofNpm = {
  packageType: 'npm',
  registry: 'https://registry.npmjs.org',
  hosts: ['registry.npmjs.org'],
  peer: 'Verdaccio',
  packagesIn: ({ project }) => nodePackagesIn(join(project, 'node_modules')),
} as const satisfies Partial<Client>;

/** Writes a project with dependencies. */
export const writeManifest = (sandbox: Sandbox, dependencies: Readonly<Record<string, string>>): void =>
  sandbox.write({
    'project/package.json': JSON.stringify({ name: 'app', version: '1.0.0', private: true, dependencies }),
  });

/** Writes the registry and the credential for it, for clients that read `.npmrc`. */
export const writeNpmrc = (sandbox: Sandbox, { url, token }: Source): void => {
  const credential = token === undefined ? '' : `${credentialScope(url)}/:_authToken=${token}\n`;
  sandbox.write({ 'home/.npmrc': `registry=${url}/\n${credential}` });
};
