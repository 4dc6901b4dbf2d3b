import { isPackageId, nameOfId } from '../../shared/packages/nupkg/ids.ts';
import { refusalWarning } from '../../shared/packages/nupkg/refusal-warning.ts';
import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';

export * as contracts from './contracts.ts';

export const nuget = packageType({
  name: 'nuget',
  root: '/nuget/',
  words: {
    title: 'Packages: NuGet',
    description:
      'A feed for dotnet and nuget.exe, by version 3 of the protocol: `{base}/nuget/{workspace}/{repository}/v3/index.json`, with any username and a token as the password.',
    pathParameters: {},
    refusalHeaders: ['X-NuGet-Warning'],
  },
  /** Case makes no difference in an ID. */
  spelling: { normalize: nameOfId, isName: isPackageId },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  shapeProblem: plainProblem,
  problemHeaders: refusalWarning,
  publishing: { by: 'files' },
  versions: plainVersions,
});
export { nuget as definition };

export const format = async () => (await import('./format.ts')).nugetFormat;
