import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { manifestOf } from '../../harness/cargo.ts';
import type { Driver, Ran, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';
import { commandVersion } from './tools.ts';

/** The toolchain of rustup, if it manages this machine's: in a sandbox, it would look for one in the home. */
let rustupHome: string | undefined;

/** The home of rustup, if it manages this machine's toolchain. */
export const findRustup = async (): Promise<string | undefined> => {
  try {
    return (await promisify(execFile)('rustup', ['show', 'home'])).stdout.trim();
  } catch {
    return undefined;
  }
};

/** The lines of `.cargo/config.toml` that docs/clients/cargo.md shows. */
export const cargoConfig = ({ url }: Pick<Registry, 'url'>): string => `[registries.acme]
index = "sparse+${url}/"
credential-provider = "cargo:token"

[source.crates-io]
replace-with = "acme"
`;

/** Runs Cargo in a sandbox, with the settings of the documentation. */
export const runCargo = (
  sandbox: Sandbox,
  registry: Pick<Registry, 'url'> & { readonly token: string | undefined },
  ...parameters: string[]
): Promise<Ran> => {
  sandbox.write({ 'home/.cargo/config.toml': cargoConfig(registry) });
  return sandbox.run('cargo', parameters, {
    ...(registry.token !== undefined && { CARGO_REGISTRIES_ACME_TOKEN: `Bearer ${registry.token}` }),
    CARGO_NET_RETRY: '0',
    ...(rustupHome !== undefined && { RUSTUP_HOME: rustupHome }),
  });
};

export const cargo: Driver = {
  name: 'cargo',
  packageType: 'cargo',
  prepare: async () => {
    rustupHome = await findRustup();
    return commandVersion('cargo');
  },
  nameOf: (word) => word,
  publish: (sandbox, registry, each) => {
    sandbox.write({ 'project/Cargo.toml': manifestOf(each), 'project/src/lib.rs': each.content });
    // The content is no Rust.
    return runCargo(sandbox, registry, 'publish', '--registry', 'acme', '--no-verify');
  },
  install: (sandbox, registry, { name, version }) => {
    const requirement = version === undefined ? '*' : `=${version}`;
    const tables = `[dependencies]\n${name} = { version = "${requirement}", registry = "acme" }\n`;
    sandbox.write({
      'project/Cargo.toml': manifestOf({ name: 'app', version: '1.0.0', tables }),
      'project/src/lib.rs': '',
    });
    return runCargo(sandbox, registry, 'vendor');
  },
  contentOf: (sandbox, name) => sandbox.read(`vendor/${name}/src/lib.rs`),
  prints: {
    republished: /already exists/,
    levelTooLow: /status 403 Forbidden\): .*Only users with canDeploy/,
    wrongCredential: /got 401/,
  },
};
