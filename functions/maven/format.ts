import { ApiError } from '../../shared/errors.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { VersionContent } from '../../shared/packages/changes/version-content.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import {
  type Announcement,
  type NamedFile,
  type PackageFormat,
  refuseRepeatedNames,
  refuseVersion,
} from '../../shared/packages/formats/package-format.ts';
import { fileInMemory, readWhole } from '../../shared/store/received-file.ts';
import { versionWith } from './index-entries.ts';
import { pomsIn } from './jar.ts';
import { checksumEnding, isFileAddress } from './paths.ts';
import { pluginPrefixes } from './plugin-prefixes.ts';
import { pluginListings } from './plugins.ts';
import { type Pom, pomBytesMax, readPom } from './pom.ts';
import { requireTimestamp } from './snapshot-times.ts';

const isPom = ({ name }: Pick<NamedFile, 'name'>): boolean => name === 'pom.xml' || name.endsWith('.pom');
const isJar = ({ name }: Pick<NamedFile, 'name'>): boolean => /\.[jw]ar$/.test(name);

/** Beyond this size, only the SHA-256 of an uploaded file is known: to read it takes longer than a request. */
const readBytesMax = 512 * 1024 * 1024;

/** The POM among the files, or that of a jar among them. */
const findPom = async (files: readonly NamedFile[]): Promise<{ readonly bytes: Buffer; readonly isFile: boolean }> => {
  const [file, ...others] = files.filter(isPom);
  if (others.length > 0) throw malformed('The files have more than one POM.');
  if (file && file.received.size > pomBytesMax) throw malformed(`The POM has more than ${pomBytesMax} bytes.`);
  if (file) return { bytes: await file.received.bytes(), isFile: true };
  const found = (await Promise.all(files.filter(isJar).map(({ received }) => pomsIn(received)))).flat();
  const [bytes, ...more] = Array.from(new Map(found.map((pom) => [pom.toString('latin1'), pom])).values());
  if (!bytes || more.length > 0)
    throw malformed(
      'The files need a POM, as pom.xml or as <artifactId>-<version>.pom. It may also be in the jar, which must have only one.',
    );
  return { bytes, isFile: false };
};

/** The files of a version under the names that Maven looks for. */
const namedAs = ({ artifactId, version }: Pom, files: readonly NamedFile[]): NamedFile[] => {
  const base = `${artifactId}-${version.replace(/SNAPSHOT$/, '')}`;
  return files.map((file) => {
    const name = file.name === 'pom.xml' ? `${artifactId}-${version}.pom` : file.name;
    if (!name.startsWith(base))
      throw malformed(
        `'${name}' cannot be found by a client: the names of all files begin with ${artifactId}-${version}, as in ${artifactId}-${version}.jar and ${artifactId}-${version}-sources.jar.`,
      );
    return { ...file, name };
  });
};

const withHashes = async (file: NamedFile): Promise<NamedFile> => {
  if (file.received.size > readBytesMax || file.received.hashes.sha1 !== undefined) return file;
  const { received } = await readWhole(file.received, async () => undefined);
  return { ...file, received };
};

const readVersion = async (sent: readonly NamedFile[]): Promise<VersionContent> => {
  const { bytes, isFile } = await findPom(sent);
  const pom = readPom(bytes);
  const { name, version } = pom;
  const embedded = isFile ? [] : [{ name: 'pom.xml', received: fileInMemory(bytes) }];
  const files = await Promise.all(namedAs(pom, [...sent, ...embedded]).map(withHashes));
  const addresses = files.map((file) => ({ name, version, file: file.name }));
  if (!addresses.every(isFileAddress)) throw malformed('The names of the version and of its files are too long.');
  for (const address of addresses) requireTimestamp(address);
  const prefixes = await Promise.all(
    files.map(({ received }, index) => pluginPrefixes(addresses[index] ?? { name, version, file: '' }, received)),
  );
  return {
    ...versionWith({ name, version, files: files.map((file) => file.name) }),
    displayName: name,
    files: files.map(({ name: file, received }) => ({ name: file, received, mediaType: fileMediaType })),
    alsoListed: pluginListings(name, Object.assign({}, ...prefixes)),
  };
};

const checkAnnouncement = (announcement: Announcement): void => {
  refuseVersion(announcement);
  refuseRepeatedNames(announcement);
  const checksum = announcement.files.find(({ name }) => checksumEnding.test(name));
  if (checksum)
    throw new ApiError('PACKAGE_INVALID', `Leave out '${checksum.name}': the service computes the checksums.`);
};

/** The files of one version, such as a jar and its POM. Group, artifact and version come from the POM. */
export const mavenFormat: PackageFormat = {
  check: checkAnnouncement,
  read: async (_announcement, files) => refusingAsync(async () => readVersion(files)),
};
