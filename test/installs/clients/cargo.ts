import { cargoConfig, findRustup } from '../../clients/drivers/cargo.ts';
import { commandVersion } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { filesIn } from './packages.ts';

/** A web service with a database and a client of others: about 270 crates. */
const manifest = `[package]
name = "app"
version = "1.0.0"
edition = "2021"

[dependencies]
anyhow = "=1.0.104"
axum = "=0.8.9"
clap = { version = "=4.6.9", features = ["derive"] }
reqwest = { version = "=0.13.5", features = ["json"] }
serde = { version = "=1.0.229", features = ["derive"] }
serde_json = "=1.0.154"
sqlx = { version = "=0.9.0", features = ["postgres", "runtime-tokio"] }
tokio = { version = "=1.54.1", features = ["full"] }
tracing = "=0.1.44"
tracing-subscriber = "=0.3.23"
`;

let rustupHome: string | undefined;

export const cargo: Client = {
  name: 'cargo',
  packageType: 'cargo',
  registry: 'https://index.crates.io',
  hosts: ['index.crates.io', 'static.crates.io'],
  prepare: async () => {
    rustupHome = await findRustup();
    return commandVersion('cargo');
  },
  commandsIn: (sandbox, { url, token }) => {
    sandbox.write({ 'project/Cargo.toml': manifest, 'project/src/main.rs': 'fn main() {}\n' });
    // Without a configuration, Cargo uses the public registry.
    if (token !== undefined) sandbox.write({ 'home/.cargo/config.toml': cargoConfig({ url }) });
    const variables = {
      ...(token !== undefined && { CARGO_REGISTRIES_ACME_TOKEN: `Bearer ${token}` }),
      ...(rustupHome !== undefined && { RUSTUP_HOME: rustupHome }),
    };
    return [{ file: 'cargo', parameters: ['fetch'], variables }];
  },
  packagesIn: ({ home }) => filesIn(home, '.cargo/registry/cache/*/*.crate'),
};
