import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isPackageName } from './path.ts';
import { placeholderViolations } from './upstream-url.ts';

export * as contracts from './contracts.ts';

export const universal = packageType({
  name: 'universal',
  root: '/universal/',
  words: {
    title: 'Packages: universal',
    description: 'Files of any kind, each under a package, a version and a name.',
    pathParameters: {},
  },
  /** The name of a package is a path. */
  spelling: { normalize: oneSpelling, isName: isPackageName },
  upstream: { ...plainUpstreams, urlViolations: placeholderViolations },
  whilePending: 'redirect',
  shapeProblem: plainProblem,
  publishing: { by: 'files' },
  withoutGate: 'no upstream lists its files',
  versions: { ...plainVersions, files: 'one by one' },
});
export { universal as definition };

export const format = async () => (await import('./format.ts')).universalFormat;

export const releases = async () => import('./releases.ts');
