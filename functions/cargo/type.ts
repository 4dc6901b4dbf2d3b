import { packageType, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isCrateName, packageNameOf } from './names.ts';
import { isVersion, versionOf } from './versions.ts';

export * as contracts from './contracts.ts';

export const cargo = packageType({
  name: 'cargo',
  root: '/cargo/',
  words: {
    title: 'Packages: cargo',
    description:
      'A registry for Cargo: `index = "sparse+{base}/cargo/{workspace}/{repository}/"` in `.cargo/config.toml`, and `Bearer {token}` as its token.',
    pathParameters: {
      crate: { description: 'The name of a crate. Case does not count, and `-` is the same as `_`.', example: 'demo' },
    },
  },
  /** Crates are compared without regard to case, and `_` is `-`. */
  spelling: {
    normalize: packageNameOf,
    isName: isCrateName,
    versions: { normalize: (text) => (isVersion(text) ? versionOf(text) : undefined) },
  },
  upstream: { ...plainUpstreams, urlPrefix: 'sparse+', lonePassword: 'as header' },
  whilePending: 'redirect',
  /** Cargo prints the member `detail` of each of the `errors`. */
  shapeProblem: (problem) => ({ ...problem, errors: problem.errors.map((detail) => ({ detail })) }),
  publishing: { by: 'files' },
  versions: { ...plainVersions, firstSpellingWins: true },
  hasGate: true,
  ecosystem: 'crates.io',
});
export { cargo as definition };

export const format = async () => (await import('./format.ts')).cargoFormat;
export const releases = async () => import('./releases.ts');
