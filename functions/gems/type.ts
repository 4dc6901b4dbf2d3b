import { packageType, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { versionSpelling } from './full-names.ts';
import { isGemName, packageNameOf } from './names.ts';

export * as contracts from './contracts.ts';

export const gems = packageType({
  name: 'gems',
  root: '/gems/',
  words: {
    title: 'Packages: gems',
    description:
      'A source for Bundler and gem: `source "{base}/gems/{workspace}/{repository}"` in the Gemfile, and `bundle config set --global {base}/gems/{workspace}/{repository} token:{token}`. `gem push` publishes.',
    pathParameters: {},
  },
  /** Gems whose names differ in case, or in `-` and `_`, are taken for each other. */
  spelling: { normalize: packageNameOf, isName: isGemName, versions: versionSpelling },
  upstream: plainUpstreams,
  /** gem sends its credential to no address that it was redirected to. */
  whilePending: 'refuse',
  /** gem prints the whole body of a refusal. */
  shapeProblem: (problem, userAgent = '') =>
    userAgent.includes('RubyGems/') ? `${problem.errors.join('\n')}\n` : problem,
  publishing: { by: 'files' },
  versions: { ...plainVersions, firstSpellingWins: true },
  hasGate: true,
  ecosystem: 'RubyGems',
});
export { gems as definition };

export const format = async () => (await import('./format.ts')).gemsFormat;
export const releases = async () => import('./releases.ts');
