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
  /** Only old names at an upstream have capitals, and a rule in lower case blocks them, too. */
  spelling: { normalize: (text) => text.toLowerCase(), isName: isPackageName, holdsLowerCase: true },
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
