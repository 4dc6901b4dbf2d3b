import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { coversRevision, isName, revisionOf } from './references.ts';

export * as contracts from './contracts.ts';

export const conan = packageType({
  name: 'conan',
  root: '/conan/',
  words: {
    title: 'Packages: Conan',
    description:
      'A remote for Conan 2: `conan remote add {name} {base}/conan/{workspace}/{repository}`, then `conan remote login {name} token -p {token}`.',
    pathParameters: {},
  },
  /** A version is a revision: `1.0@user/channel#revision` of a recipe, with `:id#revision` behind it of a binary. */
  spelling: {
    normalize: oneSpelling,
    isName,
    versions: { normalize: revisionOf, covers: coversRevision, hasFiles: (version) => version.includes('#') },
  },
  upstream: { ...plainUpstreams, login: 'v2/users/authenticate' },
  whilePending: 'redirect',
  /** Conan prints the body of a refusal as it is. */
  shapeProblem: (problem, userAgent = '') => (userAgent.startsWith('Conan/') ? problem.detail : problem),
  publishing: {
    by: 'clients only',
    refusal:
      'A file does not say to which revision of which recipe it belongs, which only Conan knows: publish with conan upload.',
  },
  hasGate: true,
  ecosystem: 'ConanCenter',
  // The binaries of a recipe.
  versions: { ...plainVersions, files: 'one by one', partMark: ':' },
});
export { conan as definition };

export const releases = async () => import('./releases.ts');
