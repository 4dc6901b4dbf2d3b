import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { unknownVersion } from './filenames.ts';
import { isProjectName, normalName } from './names.ts';
import { normalVersion, versionKeyOf } from './versions.ts';

export * as contracts from './contracts.ts';

export const pypi = packageType({
  name: 'pypi',
  root: '/pypi/',
  words: {
    title: 'Packages: Python',
    description:
      'An index for pip and uv at `{base}/pypi/{workspace}/{repository}/simple/`, and the address for twine and `uv publish` at `{base}/pypi/{workspace}/{repository}/`.',
    pathParameters: {},
  },
  /** Projects are compared in the form of PEP 503. */
  spelling: {
    normalize: normalName,
    isName: isProjectName,
    versions: {
      normalize: (text) => (text === unknownVersion ? text : normalVersion(text)),
      covers: (version, other) => versionKeyOf(version) === versionKeyOf(other),
      unknown: unknownVersion,
    },
  },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  shapeProblem: plainProblem,
  publishing: { by: 'files' },
  versions: { ...plainVersions, files: 'one by one' },
  hasGate: true,
  ecosystem: 'PyPI',
});
export { pypi as definition };

export const format = async () => (await import('./format.ts')).pypiFormat;
export const releases = async () => import('./releases.ts');
