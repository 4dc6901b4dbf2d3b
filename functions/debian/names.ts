/** What names a build of a package. */
export interface DebianBuild {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** The maximum lengths: names and versions are in keys and in names of files, as distributions and components are in paths. */
const [lengthMax, shortMax] = [150, 50];

/** Whether a package can have this name. */
export const isDebianName = (name: string): boolean => name.length <= lengthMax && /^[a-z0-9][a-z0-9+.-]+$/.test(name);

/** Whether packages can be for this architecture; `all` is that of packages for every one. */
const isArchitecture = (text: string): boolean => text.length <= shortMax && /^[a-z0-9][a-z0-9-]*$/.test(text);

/** A revision is what follows the last hyphen. An upstream version has colons only behind an epoch. */
const isUpstreamAndRevision = (text: string, hasEpoch: boolean): boolean => {
  const dash = text.lastIndexOf('-');
  const [upstream, revision] = dash < 0 ? [text, '0'] : [text.slice(0, dash), text.slice(dash + 1)];
  const isUpstream = hasEpoch ? /^\d[A-Za-z0-9.+~:-]*$/ : /^\d[A-Za-z0-9.+~-]*$/;
  return isUpstream.test(upstream) && /^[A-Za-z0-9.+~]+$/.test(revision);
};

/** Whether a package can have this version. */
export const isDebianVersion = (version: string): boolean => {
  if (version.length > lengthMax) return false;
  const colon = version.indexOf(':');
  const hasEpoch = /^\d{1,10}$/.test(version.slice(0, Math.max(0, colon)));
  return hasEpoch ? isUpstreamAndRevision(version.slice(colon + 1), true) : isUpstreamAndRevision(version, false);
};

/** Whether these can be the name, the version and the architecture of a package. */
export const isBuild = ({ name, version, architecture }: DebianBuild): boolean =>
  isDebianName(name) && isDebianVersion(version) && isArchitecture(architecture);

/** A version as names of files have it. */
export const withoutEpoch = (version: string): string => version.replace(/^\d+:/, '');

/** The name that the file of a build has. */
export const fileNameOf = ({ name, version, architecture }: DebianBuild): string =>
  `${name}_${withoutEpoch(version)}_${architecture}.deb`;

/** What such a name says; undefined if it is none. The version lacks its epoch. */
export const readFileName = (file: string): DebianBuild | undefined => {
  if (file.length > 255) return undefined;
  const [name = '', version = '', last = '', ...others] = file.split('_');
  const build = { name, version, architecture: last.slice(0, -'.deb'.length) };
  return last.endsWith('.deb') && others.length === 0 && isBuild(build) ? build : undefined;
};

const isPlaceName = (text: string): boolean => text.length <= shortMax && /^[A-Za-z0-9][A-Za-z0-9._+~-]*$/.test(text);

/** Where a package is listed: a component, such as `main`, of a distribution, such as `bookworm`. */
export interface DebianPlace {
  readonly distribution: string;
  readonly component: string;
}

/** Whether these can name a distribution and a component. */
export const isPlace = ({ distribution, component }: DebianPlace): boolean =>
  isPlaceName(distribution) && isPlaceName(component);

/** The rule of `isPlace` in words. */
export const placeRule =
  'a distribution and a component begin with a letter or a digit, and have at most 50 letters, digits and . _ + ~ -';
