import { runCargo } from './cargo.ts';
import { runComposer, writeComposerAuth } from './composer.ts';
import { runConan } from './conan.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import { bundle } from './gems.ts';
import { goVariables, writeSettings } from './go.ts';
import { runPoetry } from './poetry.ts';
import type { Sandbox } from './sandbox.ts';

/** The files that an installation leaves, and how a client installs exactly what they say, from where they were written. */
interface LockFiles {
  readonly files: readonly string[];
  readonly install: (sandbox: Sandbox, registry: Registry, name: string) => Promise<Ran>;
}

const ofClients: Readonly<Record<string, LockFiles>> = {
  cargo: {
    files: ['Cargo.toml', 'Cargo.lock', 'src/lib.rs'],
    install: async (sandbox, registry) => runCargo(sandbox, registry, 'vendor', '--locked'),
  },
  composer: {
    files: ['composer.json', 'composer.lock'],
    install: async (sandbox, registry) => {
      writeComposerAuth(sandbox, registry);
      return runComposer(sandbox, 'install');
    },
  },
  conan: {
    files: ['conan.lock'],
    install: async (sandbox, registry, name) =>
      runConan(sandbox, registry, ['install', `--requires=${name}/[*]`, '--lockfile=conan.lock', '--update']),
  },
  bundler: {
    files: ['Gemfile', 'Gemfile.lock'],
    install: async (sandbox, registry) => bundle(sandbox, registry, 'install'),
  },
  go: {
    files: ['go.mod', 'go.sum', 'main.go'],
    install: async (sandbox, registry) => {
      writeSettings(sandbox, registry);
      return sandbox.run('go', ['mod', 'vendor'], goVariables(sandbox, registry));
    },
  },
  poetry: {
    files: ['pyproject.toml', 'poetry.lock'],
    install: async (sandbox, registry) => runPoetry(sandbox, registry, 'install'),
  },
};

/** The lock files of a client; undefined if it has none. */
export const lockFilesOf = ({ name, lock }: Driver): LockFiles | undefined =>
  lock ? { files: ['package.json', lock.file], install: lock.install } : ofClients[name];
