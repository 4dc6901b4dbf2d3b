import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { isDebianName } from './names.ts';

export * as contracts from './contracts.ts';

export const debian = packageType({
  name: 'debian',
  root: '/debian/',
  words: {
    title: 'Packages: Debian',
    description:
      'A repository for apt: a line `deb [signed-by=/etc/apt/keyrings/acme.asc] {base}/debian/{workspace}/{repository} {distribution} {component}` in /etc/apt/sources.list.d, with the key at `key.asc` and the credential in /etc/apt/auth.conf.d. `curl -T` and dput publish.',
    pathParameters: {},
  },
  /** Names of packages are in small letters alone. */
  spelling: { normalize: oneSpelling, isName: isDebianName },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  /** apt prints the status alone. */
  shapeProblem: plainProblem,
  publishing: { by: 'files' },
  versions: { ...plainVersions, indexOf: 'repository' },
});
export { debian as definition };

export const format = async () => (await import('./format.ts')).debianFormat;
