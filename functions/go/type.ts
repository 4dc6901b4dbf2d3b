import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { modulePathProblem } from './module-paths.ts';
import { canonicalOf } from './versions.ts';

export * as contracts from './contracts.ts';

export const go = packageType({
  name: 'go',
  root: '/go/',
  words: {
    title: 'Packages: go',
    description:
      'A proxy of Go modules: `GOPROXY={base}/go/{workspace}/{repository}`, and the username `token` with a token as its password in `~/.netrc`.',
    pathParameters: {},
  },
  /** Modules whose paths differ in case are different modules. */
  spelling: {
    normalize: oneSpelling,
    isName: (path) => modulePathProblem(path) === undefined,
    versions: {
      normalize: canonicalOf,
      covers: (version, other) => other === `${version}+incompatible`,
    },
  },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  /** go prints the reason of a refusal only if it is plain text. Its library for HTTP sends no Accept header, but names itself. */
  shapeProblem: (problem, userAgent = '') =>
    userAgent.startsWith('Go-http-client/') ? `${problem.detail}\n` : problem,
  publishing: { by: 'files' },
  versions: plainVersions,
  hasGate: true,
  ecosystem: 'Go',
});
export { go as definition };

export const format = async () => (await import('./format.ts')).goFormat;
export const releases = async () => import('./releases.ts');
