import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isPackageName } from './paths.ts';
import { isReplaceable } from './snapshot-names.ts';

export * as contracts from './contracts.ts';

export const maven = packageType({
  name: 'maven',
  root: '/maven/',
  words: {
    title: 'Packages: Maven',
    description:
      'A repository for Maven and Gradle at `{base}/maven/{workspace}/{repository}`. The username is `token`, and the password a token.',
    pathParameters: {},
  },
  /** A package is a group and an artifact with a colon between them. */
  spelling: { normalize: oneSpelling, isName: isPackageName },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  shapeProblem: plainProblem,
  publishing: { by: 'files' },
  hasGate: true,
  ecosystem: 'Maven',
  versions: {
    ...plainVersions,
    files: 'one by one',
    replaces: ({ name, version, files }) => files.every((file) => isReplaceable(name, version, file.name)),
  },
});
export { maven as definition };

export const format = async () => (await import('./format.ts')).mavenFormat;
export const releases = async () => import('./releases.ts');
