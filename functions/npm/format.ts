import { ApiError } from '../../shared/errors.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { invalid } from '../../shared/packages/formats/format-problem.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { isObject, without } from '../../shared/packages/formats/json-objects.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
import type { PackageFormat } from '../../shared/packages/formats/package-format.ts';
import { refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { readmeInTar } from '../../shared/packages/formats/readme.ts';
import { archiveBytesMax } from '../../shared/packages/formats/tar-archive.ts';
import { readWhole } from '../../shared/store/received-file.ts';
import { checkedEntryOf } from './index-entries.ts';
import { type Manifest, withFacts, withHashes } from './manifest.ts';
import { tarballFile } from './paths.ts';
import { tagViolation } from './publish-body.ts';
import { firstIsLatest, isTag } from './tags.ts';
import { readTarball } from './tarball.ts';
import { isPrerelease } from './versions.ts';

/**
 * The tags that point to the version: that of `publishConfig`, or `latest`. npm requires a tag for a prerelease. Here, a
 * prerelease without a tag gets none, so `latest` does not move to it.
 */
const tagsOf = ({ publishConfig, version }: Manifest): string[] => {
  const tag = isObject(publishConfig) ? publishConfig.tag : undefined;
  if (tag === undefined) return isPrerelease(version) ? [] : ['latest'];
  if (typeof tag === 'string' && isTag(tag)) return [tag];
  throw invalid([tagViolation(['publishConfig', 'tag'], typeof tag === 'string' ? tag : typeof tag)]);
};

/** A tarball from `npm pack`. Name, version and tags come from its package.json. */
export const npmFormat: PackageFormat = {
  readme: [{ file: /\.tgz$/, read: readmeInTar('tarball') }],
  check: (announcement) => {
    refuseVersion(announcement);
    requireOneFile(announcement.files, {
      of: 'an npm package',
      ending: '.tgz',
      make: 'make it with npm pack',
      bytesMax: archiveBytesMax,
    });
  },
  read: async (_announcement, [file]) => {
    if (!file) throw new ApiError('PACKAGE_INVALID');
    return refusingAsync(async () => {
      const { content, received, hashes } = await readWhole(file.received, readTarball);
      const { manifest: packageJson, ...facts } = content;
      const { name, version } = packageJson;
      // A `dist` in package.json does not come from a registry, so it is dropped.
      const described = { ...without(packageJson, 'dist'), name, version };
      const manifest = withFacts(withHashes(described, hashes), facts);
      return {
        name,
        displayName: name,
        version,
        files: [{ name: tarballFile(name, version), mediaType: fileMediaType, received }],
        parts: checkedEntryOf(manifest, { version, revision: 0, time: new Date().toISOString() }).parts,
        tags: tagsOf(packageJson),
        tagRule: firstIsLatest,
      };
    });
  },
};
