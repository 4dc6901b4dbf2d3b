import type { VersionSpelling } from '../../shared/table/repositories/verdicts.ts';
import { isGemName, packageNameOf } from './names.ts';
import { hasSystemVersion, isPlatform } from './platforms.ts';
import { isVersion, versionKeyOf } from './versions.ts';

/** A version of a gem for a platform. That of gems for every platform is absent. */
export interface GemVersion {
  readonly version: string;
  readonly platform?: string | undefined;
}

/** The same, with the name as it is spelled. */
export interface FullName extends GemVersion {
  readonly name: string;
}

/** A version with its platform, as it stands in indexes. */
export const versionText = ({ version, platform }: GemVersion): string =>
  platform === undefined ? version : `${version}-${platform}`;

/** Name, version and platform, as they stand in the names of files (Gem::BasicSpecification#full_name). */
export const fullNameOf = ({ name, ...version }: FullName): string => `${name}-${versionText(version)}`;

/** The version and the platform of such a text. */
export const readVersionText = (text: string): GemVersion | undefined => {
  const at = text.indexOf('-');
  const [version, platform] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const isValid = isVersion(version) && (platform === undefined || isPlatform(platform));
  return isValid ? { version, platform } : undefined;
};

/** Whether a number behind a hyphen in a platform may also be the version of a gem with a longer name: `1-tool-2.0.0` in `acme-1-tool-2.0.0`. */
const mayBeOfName = (platform: string): boolean => /-\d/.test(platform) && !hasSystemVersion(platform);

/**
 * What a full name means. Names and platforms may both contain hyphens: the version begins behind the first one that a version
 * follows, alone or with a platform that RubyGems knows. Where none is known, the first one counts.
 */
export const readFullName = (text: string): FullName | undefined => {
  let first: FullName | undefined;
  for (let at = text.indexOf('-'); at >= 0 && text.length < 255; at = text.indexOf('-', at + 1)) {
    const [name, rest] = [text.slice(0, at), readVersionText(text.slice(at + 1))];
    if (!rest || !isGemName(name)) continue;
    if (!mayBeOfName(rest.platform ?? '')) return { name, ...rest };
    first ??= { name, ...rest };
  }
  return first;
};

/** The key of a version in its package: versions that are equal when compared are one, for each platform. */
export const versionKey = ({ version, platform }: GemVersion): string =>
  versionText({ version: versionKeyOf(version), platform });

/** How versions are spelled in rules: one without a platform stands for those of all platforms. */
export const versionSpelling: VersionSpelling = {
  normalize: (text) => {
    const read = readVersionText(text);
    return read && versionKey(read);
  },
  covers: (version, other) => other.startsWith(`${version}-`),
};

/** The files of a version: the gem, and its gemspec for those who resolve dependencies. */
export const gemFile = (fullName: string): string => `${fullName}.gem`;
export const gemspecFile = (fullName: string): string => `${fullName}.gemspec.rz`;

/** The address of a file of a version. */
export const addressOf = (full: FullName, file: string) => ({
  name: packageNameOf(full.name),
  version: versionKey(full),
  file,
  full,
});
