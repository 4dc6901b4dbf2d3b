/** The parts of a name of a package file. */
export interface RpmName {
  readonly name: string;
  readonly version: string;
  readonly release: string;
  readonly arch: string;
}

/** The maximum length of a part: they are in keys, paths and the names of files. */
const lengthMax = 150;

const isShort = (text: string): boolean => text.length <= lengthMax;

/** Whether a package can have this name. */
export const isRpmName = (name: string): boolean => isShort(name) && /^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(name);

const isVersionPart = (text: string): boolean =>
  isShort(text) && /^[A-Za-z0-9._+~^]+$/.test(text) && !/^\.+$/.test(text);

/** Whether these can be the name, version, release and architecture of a package. */
export const isBuild = ({ name, version, release, arch }: RpmName): boolean =>
  isRpmName(name) && isVersionPart(version) && isVersionPart(release) && isShort(arch) && /^[A-Za-z0-9_]+$/.test(arch);

/** The name that the file of a package has. */
export const fileNameOf = ({ name, version, release, arch }: RpmName): string =>
  `${name}-${version}-${release}.${arch}.rpm`;

/** What such a name says; undefined if it is none. */
export const readFileName = (file: string): RpmName | undefined => {
  if (file.length > 255) return undefined;
  const [, name = '', version = '', release = '', arch = ''] = /^(.+)-([^-]+)-([^-]+)\.([^.-]+)\.rpm$/.exec(file) ?? [];
  const read = { name, version, release, arch };
  return isBuild(read) ? read : undefined;
};
