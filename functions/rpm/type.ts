import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isRpmName } from './names.ts';
import { upstreamViolations } from './upstream-url.ts';

export * as contracts from './contracts.ts';

export const rpm = packageType({
  name: 'rpm',
  root: '/rpm/',
  words: {
    title: 'Packages: rpm',
    description:
      'A repository for dnf, yum and zypper: `curl -fLu token:{token} {base}/rpm/{workspace}/{repository}/{repository}.repo` returns the lines for /etc/yum.repos.d. `curl -T` publishes.',
    pathParameters: {},
  },
  /** Packages whose names differ in case are different packages. */
  spelling: { normalize: oneSpelling, isName: isRpmName },
  upstream: { ...plainUpstreams, urlViolations: upstreamViolations },
  whilePending: 'redirect',
  /** dnf and zypper print the status alone. */
  shapeProblem: plainProblem,
  publishing: { by: 'files' },
  versions: { ...plainVersions, indexOf: 'repository' },
  withoutGate: 'its signed lists pass as they are',
});
export { rpm as definition };

export const format = async () => (await import('./format.ts')).rpmFormat;
