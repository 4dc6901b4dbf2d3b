import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isPackageName } from './names.ts';

export * as contracts from './contracts.ts';

export const npm = packageType({
  name: 'npm',
  root: '/npm/',
  words: {
    title: 'Packages: npm',
    description:
      'A registry for npm, pnpm and yarn: `registry={base}/npm/{workspace}/{repository}/` in `.npmrc`, and a token as `//{host}/…/:_authToken`.',
    pathParameters: {
      token: {
        description: 'A personal access token itself, as `npm logout` sends it.',
        example: `str_pat_${'0'.repeat(49)}`,
      },
    },
  },
  /** Only old names at an upstream have capitals: `JSONStream` is another package than `jsonstream`. */
  spelling: {
    normalize: oneSpelling,
    isName: isPackageName,
    holdsLowerCase: true,
    /** Upstreams also have versions from before SemVer 2, with anything behind three numbers. */
    versions: { normalize: (text) => /^[=v]*(\d+\.\d+\.\d+[^+]*)/.exec(text)?.[1] },
  },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  /** npm prints the member `error` of a refusal. */
  shapeProblem: (problem) => ({ ...problem, error: problem.detail }),
  publishing: { by: 'files' },
  versions: plainVersions,
  hasGate: true,
  ecosystem: 'npm',
});
export { npm as definition };

export const format = async () => (await import('./format.ts')).npmFormat;
export const releases = async () => import('./releases.ts');
