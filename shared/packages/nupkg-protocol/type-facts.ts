import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { refusalWarning } from '../nupkg/refusal-warning.ts';
import { normalVersion } from '../nupkg/versions.ts';
import { plainProblem, plainUpstreams, plainVersions } from '../types/package-type.ts';

/** What the package types whose packages are nupkg files have in common. */
export const nupkgFacts = {
  /** Case makes no difference in an ID. */
  spelling: { normalize: nameOfId, isName: isPackageId, versions: { normalize: normalVersion } },
  upstream: plainUpstreams,
  whilePending: 'redirect',
  shapeProblem: plainProblem,
  problemHeaders: refusalWarning,
  publishing: { by: 'files' },
  versions: plainVersions,
  hasGate: true,
} as const;
