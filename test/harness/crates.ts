import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';

/** A crate of the tests. Its content is that of a library. */
export interface TestCrate {
  readonly name: string;
  readonly version: string;
  /** The code of its library, which is a comment. */
  readonly code?: string;
  /** Lines of its Cargo.toml after the table of the package. */
  readonly tables?: string;
}

/** The Cargo.toml of a crate. */
export const manifestOf = ({ name, version, tables = '' }: TestCrate): string =>
  `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\nlicense = "MIT"\ndescription = "A crate of a test"\n${tables}`;

/** A gzipped tar archive of some files and links: always the same bytes, and not compressed, so that a large file stays large. */
export const archiveOf = async (
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): Promise<Buffer> => {
  const pack = tar.pack();
  for (const [name, linkname] of Object.entries(links))
    pack.entry({ name, type: 'symlink', linkname, mtime: new Date(0) });
  for (const [name, content] of Object.entries(files)) pack.entry({ name, mtime: new Date(0) }, content);
  pack.finalize();
  return buffer(pack.pipe(createGzip({ level: 0 })));
};

/** The file that `cargo package` makes of a crate. */
export const crateFileOf = async (crate: TestCrate): Promise<Buffer> => {
  const folder = `${crate.name}-${crate.version}`;
  const code = `/*${crate.code ?? ''}*/`;
  return archiveOf({ [`${folder}/Cargo.toml`]: manifestOf(crate), [`${folder}/src/lib.rs`]: code });
};

/** The code of the library in the bytes of a crate, read as text. */
export const codeIn = (text: string): string | undefined => /\/\*(?<code>.*)\*\//s.exec(text)?.groups?.code;

const length = (bytes: Uint8Array): Buffer => {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(bytes.length);
  return prefix;
};

/** The body of `cargo publish`: metadata and crate, each after its length. */
export const framed = (metadata: unknown, file: Uint8Array): Buffer => {
  const json = Buffer.from(JSON.stringify(metadata));
  return Buffer.concat([length(json), json, length(file), file]);
};

/** The metadata that `cargo publish` sends of a crate without dependencies. */
export const metadataOf = ({ name, version }: TestCrate) => ({
  name,
  vers: version,
  deps: [],
  features: {},
  authors: [],
  description: 'A crate of a test',
  documentation: null,
  homepage: null,
  readme: null,
  readme_file: null,
  keywords: [],
  categories: [],
  license: 'MIT',
  license_file: null,
  repository: null,
  badges: {},
  links: null,
  rust_version: null,
});

/** The body of a publication of a crate. `fields` replace those of the metadata. */
export const publishBodyOf = async (crate: TestCrate, fields: object = {}): Promise<Buffer> =>
  framed({ ...metadataOf(crate), ...fields }, await crateFileOf(crate));
