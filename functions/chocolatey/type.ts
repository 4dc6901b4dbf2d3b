import { isPackageId, nameOfId } from '../../shared/packages/nupkg/ids.ts';
import { refusalWarning } from '../../shared/packages/nupkg/refusal-warning.ts';
import { packageType, plainProblem, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';

export * as contracts from './contracts.ts';

export const chocolatey = packageType({
  name: 'chocolatey',
  root: '/chocolatey/',
  words: {
    title: 'Packages: Chocolatey',
    description:
      'A feed for choco, nuget.exe and PowerShell, by version 2 of the protocol of NuGet: `{base}/chocolatey/{workspace}/{repository}/`, with any username and a token as the password. Version 3 is at `v3/index.json` below it.',
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
export { chocolatey as definition };

export const format = async () => (await import('./format.ts')).chocolateyFormat;
