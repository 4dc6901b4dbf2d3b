import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => [
  lines(
    '.cargo/config.toml',
    '[registries.stockroom]',
    `index = "sparse+${at}/"`,
    'credential-provider = "cargo:token"',
  ),
  lines(
    `cargo · ${words.install}`,
    'export CARGO_REGISTRIES_STOCKROOM_TOKEN="Bearer $STOCKROOM_TOKEN"',
    `cargo add ${name}@${version} --registry stockroom`,
  ),
  lines(`cargo · ${words.publish}`, 'cargo publish --registry stockroom'),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://index.crates.io/';
