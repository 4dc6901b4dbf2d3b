import type { UpstreamReleases } from '../../shared/packages/gate/version-releases.ts';
import { isDigest } from './digests.ts';
import { loadTag } from './upstream.ts';
import { rulingOnManifest } from './verdicts.ts';

// What upstreams of the type say of versions, for checks and lists: where a tag leads.
export { packageReleases, versionReleases } from '../../shared/packages/gate/untimed-releases.ts';

export const rulingOn: NonNullable<UpstreamReleases['rulingOn']> = (source, name, version) =>
  rulingOnManifest(source, name, [version]);

export const rulingAtUpstream: NonNullable<UpstreamReleases['rulingAtUpstream']> = async (request, source, asked) => {
  const { name, version } = asked;
  const digest = isDigest(version) ? undefined : await (await loadTag(request, source, name, version))?.read();
  return rulingOnManifest(source, name, digest === undefined ? [version] : [digest, version]);
};
