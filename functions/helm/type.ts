import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isChartName } from './paths.ts';
import { filledVersion } from './versions.ts';

export * as contracts from './contracts.ts';

export const helm = packageType({
  name: 'helm',
  root: '/helm/',
  words: {
    title: 'Packages: helm',
    description:
      'A chart repository for helm: `helm repo add {name} {base}/helm/{workspace}/{repository} --username token`, with a token as the password. `helm cm-push` publishes.',
    pathParameters: {},
  },
  /** Charts whose names differ in case are different charts. */
  spelling: { normalize: oneSpelling, isName: isChartName, versions: { normalize: filledVersion } },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  /** The clients of ChartMuseum print the member `error` of a refusal. */
  shapeProblem: (problem) => ({ ...problem, error: problem.detail }),
  publishing: { by: 'files' },
  versions: { ...plainVersions, indexOf: 'repository' },
  hasGate: true,
});
export { helm as definition };

export const format = async () => (await import('./format.ts')).helmFormat;
export const releases = async () => import('./releases.ts');
