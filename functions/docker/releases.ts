import type { UpstreamReleases } from '../../shared/packages/gate/version-releases.ts';
import { rulingOnManifest } from './verdicts.ts';

// What upstreams of the type say of versions, for checks and lists: nothing.
export { packageReleases, versionReleases } from '../../shared/packages/gate/untimed-releases.ts';

export const rulingOn: NonNullable<UpstreamReleases['rulingOn']> = (source, name, version) =>
  rulingOnManifest(source, name, [version]);
