import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { ApiError, unavailable } from '../../shared/errors.ts';
import { WindowReader } from '../../shared/packages/formats/zip-archive.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { escapedText } from './escapes.ts';
import { folded, isFilePath } from './file-names.ts';
import { declaredPath, problemIn, synthesised } from './go-mod.ts';
import { fitsPathMajor, modulePathProblem, pathMajorOf } from './module-paths.ts';
import { isCanonical, isIncompatible, majorOf } from './versions.ts';

/** A module at a version. */
export interface ModuleVersion {
  readonly name: string;
  readonly version: string;
}

/** A module zip that go accepts, and its go.mod. */
export interface ModuleZip extends ModuleVersion {
  readonly goMod: Buffer;
}

/** The limits of golang.org/x/mod/zip, and those on what is in memory: the number of entries, and go.mod. */
const limits = {
  zipBytesMax: 500 * 1024 * 1024,
  fileBytesMax: 16 * 1024 * 1024,
  /** Ours: go allows 16 MiB, and the largest go.mod of public modules have some hundred kilobytes. */
  goModBytesMax: 1024 * 1024,
  entriesMax: 100_000,
  /** That of Linux (PATH_MAX): go unpacks a module. Each folder of a path is noted. */
  pathLengthMax: 4_096,
} as const;

/** The maximum size of a module zip in bytes. It is also that of its content. */
export const zipBytesMax = limits.zipBytesMax;

const refused = (message: string): ApiError => new ApiError('PACKAGE_INVALID', message);

/** A path in a sentence. A zip may have paths of 64 KiB. */
const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);

const utf8 = new TextDecoder('utf-8', { fatal: true });

const nameOf = ({ fileNameRaw }: Entry): string => {
  try {
    return utf8.decode(fileNameRaw);
  } catch {
    throw refused('The zip has a path that is not UTF-8.');
  }
};

/** The module and the version at the beginning of a path, such as `corp.example/module@v1.0.0/go.mod`. */
const moduleOf = (path: string): ModuleVersion => {
  const [, name, version] = /^([^@]+)@([^/]+)\//.exec(path) ?? [];
  if (name === undefined || version === undefined)
    throw refused(
      `Each path in the zip must begin with the module and its version, as in corp.example/module@v1.0.0/go.mod; '${shown(path)}' does not.`,
    );
  return { name, version };
};

/** Refuses a name or a version that no client could request. */
const checkModule = ({ name, version }: ModuleVersion): void => {
  const problem = modulePathProblem(name);
  if (problem !== undefined) throw refused(`'${shown(name)}' in the zip is no module path: it ${problem}.`);
  if (!isCanonical(version))
    throw refused(
      `'${shown(version)}' in the zip is no canonical version: it must be complete, such as v1.0.0 or v1.0.0-rc.1.`,
    );
  const isMisfit = isIncompatible(version)
    ? pathMajorOf(name) !== '' || majorOf(version) === 'v0' || majorOf(version) === 'v1'
    : !fitsPathMajor(name, version);
  if (isMisfit)
    throw refused(
      `The version '${version}' does not fit the module path '${name}': a path of v2 and later ends with the major version, as in corp.example/module/v2.`,
    );
  const segments = [...name.split('/'), `${version}.info`].map((segment) => escapedText(segment));
  if (segments.some((segment) => segment.length > 255))
    throw refused(
      'An element of the module path and the version have at most 250 characters, and a capital counts twice.',
    );
};

/** The paths of a module, by what they are when case does not count. */
class Listing {
  readonly module: ModuleVersion;
  goMod: Entry | undefined;
  private readonly prefix: string;
  private readonly known = new Map<string, { readonly path: string; readonly isFolder: boolean }>();
  private bytes = 0;

  constructor(module: ModuleVersion) {
    this.module = module;
    this.prefix = `${module.name}@${module.version}/`;
  }

  /** Checks an entry as `zip.CheckZip` of golang.org/x/mod does, which alone takes entries of folders. */
  add(name: string, entry: Entry): void {
    if (name.length > limits.pathLengthMax)
      throw refused(`The zip has a path of more than ${limits.pathLengthMax} characters: '${shown(name)}'.`);
    if (!name.startsWith(this.prefix))
      throw refused(`Each path in the zip must begin with '${this.prefix}'; '${shown(name)}' does not.`);
    // go counts an entry of a folder into the checksum of a zip, and no folder into that of the files which it verifies (sumdb/dirhash).
    if (name.endsWith('/'))
      throw refused(
        `The zip has an entry for the folder '${shown(name)}', with which go mod verify fails. Take out such entries: zip -qd module.zip '*/'.`,
      );
    const path = name.slice(this.prefix.length);
    if (!isFilePath(path)) throw refused(`The zip has the path '${shown(name)}', which go refuses in a module.`);
    this.addPath(path, false);
    this.addFile(path, entry);
  }

  private addPath(path: string, isFolder: boolean): void {
    const key = folded(path);
    const other = this.known.get(key);
    if (other && other.path !== path)
      throw refused(`The zip has two paths that differ in case alone: '${shown(other.path)}' and '${shown(path)}'.`);
    if (other && !(other.isFolder && isFolder)) throw refused(`The zip has the path '${shown(path)}' more than once.`);
    if (other) return;
    this.known.set(key, { path, isFolder });
    const parent = posix.dirname(path);
    if (parent !== '.') this.addPath(parent, true);
  }

  private addFile(path: string, entry: Entry): void {
    const { uncompressedSize: size, compressionMethod } = entry;
    if (entry.isEncrypted() || (compressionMethod !== 0 && compressionMethod !== 8))
      throw refused(`'${shown(path)}' in the zip is encrypted, or compressed in a way that go cannot read.`);
    this.bytes += size;
    if (this.bytes > limits.zipBytesMax)
      throw refused(`The files of the module have more than ${limits.zipBytesMax} bytes.`);
    if (posix.basename(path).toLowerCase() === 'go.mod') {
      if (path !== 'go.mod')
        throw refused(
          `The zip has '${shown(path)}': a module has one go.mod, in small letters, at its root. Leave nested modules out.`,
        );
      this.goMod = entry;
    }
    const bytesMax = path === 'go.mod' ? limits.goModBytesMax : limits.fileBytesMax;
    if ((path === 'go.mod' || path === 'LICENSE') && size > bytesMax)
      throw refused(`'${path}' in the zip has more than ${bytesMax} bytes.`);
  }
}

const list = async (zip: ZipFile): Promise<Listing> => {
  let listing: Listing | undefined;
  if (zip.entryCount > limits.entriesMax) throw refused(`The zip has more than ${limits.entriesMax} entries.`);
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry);
    if (!listing) {
      const module = moduleOf(name);
      checkModule(module);
      listing = new Listing(module);
    }
    listing.add(name, entry);
  }
  if (!listing) throw refused('The zip is empty.');
  return listing;
};

const goModIn = async (zip: ZipFile, { module, goMod: entry }: Listing): Promise<Buffer> => {
  const { name, version } = module;
  if (!entry) return synthesised(name);
  if (isIncompatible(version))
    throw refused(
      `The module has a go.mod, so it needs the path ${name}/${majorOf(version)} instead of +incompatible.`,
    );
  const content = await buffer(await zip.openReadStreamPromise(entry));
  const problem = problemIn(content);
  if (problem !== undefined) throw refused(`go could not read the go.mod in the zip: it ${problem}.`);
  const declared = declaredPath(content);
  if (declared !== name)
    throw refused(
      declared === undefined
        ? `go.mod in the zip has no module directive: its first line is 'module ${name}'.`
        : `go.mod in the zip declares the module '${shown(declared)}', but the paths of the zip begin with '${name}'.`,
    );
  return content;
};

/**
 * Reads a module zip by the rules of https://go.dev/ref/mod#zip-files. It lists the entries and reads go.mod; nothing else is
 * inflated. Throws PACKAGE_INVALID.
 */
export const readModuleZip = async (file: ReceivedFile): Promise<ModuleZip> => {
  if (file.size > limits.zipBytesMax) throw refused(`A module zip has at most ${limits.zipBytesMax} bytes.`);
  const reader = new WindowReader(file);
  try {
    // The names of the entries stay bytes.
    const zip = await fromRandomAccessReaderPromise(reader, file.size, { autoClose: false, decodeStrings: false });
    const listing = await list(zip);
    return { ...listing.module, goMod: await goModIn(zip, listing) };
  } catch (error) {
    if (reader.failure !== undefined) throw unavailable(reader.failure);
    if (error instanceof ApiError) throw error;
    throw refused('The file is no zip, or it is damaged.');
  }
};
