import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isPackageName, packageNameOf } from './names.ts';
import { storedVersionOf } from './versions.ts';

export * as contracts from './contracts.ts';

export const composer = packageType({
  name: 'composer',
  root: '/composer/',
  words: {
    title: 'Packages: composer',
    description:
      'A repository for Composer: `composer config repositories.{name} composer {base}/composer/{workspace}/{repository}`, and `composer config --auth http-basic.{host} token {token}`.',
    pathParameters: {},
  },
  spelling: { normalize: packageNameOf, isName: isPackageName, versions: { normalize: storedVersionOf } },
  upstream: plainUpstreams,
  /** Composer sends its credential to no address that it was redirected to. */
  whilePending: 'refuse',
  shapeProblem: plainProblem,
  publishing: { by: 'files' },
  versions: plainVersions,
  hasGate: true,
  ecosystem: 'Packagist',
});
export { composer as definition };

export const format = async () => (await import('./format.ts')).composerFormat;
export const releases = async () => import('./releases.ts');
