import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { addYank, getCrateIndex, publishCrate, removeYank } from '../../functions/cargo/contracts.ts';
import { indexPathOf } from '../../functions/cargo/names.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from './client.ts';
import { whenAvailable } from './retry.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

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

/** A request below the address of a cargo repository; what it leaves out is a plain request of a system admin. */
export interface CargoRequest {
  readonly method?: string;
  /** Another repository than that of the test. */
  readonly repository?: Named;
  /** The value of the Authorization header. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A line of an index. */
export interface Line {
  readonly name: string;
  readonly vers: string;
  readonly [field: string]: unknown;
}

/** The lines of a file of an index. */
export const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** A workspace with a cargo repository, and the requests that Cargo sends to it: paths go out as they are written. */
export const useCargoRegistry = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, 'cargo');
    Object.assign(setting, { workspace, admin, repository });
  });
  const pathOf = (path: string, { name } = setting.repository): string =>
    `/cargo/${setting.workspace.name}/${name}/${path}`;
  const send = async (contract: Contract, path: string, request: CargoRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository, as = setting.admin.bearer, headers = {}, body } = request;
    return service.client.sendTo(contract, {
      method,
      path: pathOf(path, repository),
      headers: Object.entries({ Authorization: as, ...headers }),
      ...(body && { body }),
    });
  };
  const publish = async (crate: TestCrate, fields?: object, request: CargoRequest = {}): Promise<Answer> =>
    send(publishCrate, 'api/v1/crates/new', { ...request, body: await publishBodyOf(crate, fields) });
  return {
    setting,
    send,
    /** The URL of a path, as the service prints it. */
    urlOf: (path: string, repository?: Named): string => service.runner.url + pathOf(path, repository),
    publish,
    /** Publishes a version, of a new crate unless it is named; returns the name. */
    published: async (crate: Partial<TestCrate> = {}, fields?: object, request?: CargoRequest): Promise<string> => {
      const whole = { name: uniqueName('crate'), version: '1.0.0', ...crate };
      const { status, text } = await whenAvailable(() => publish(whole, fields, request));
      if (status !== 200) throw new Error(`${whole.name} ${whole.version} was not published: ${text}`);
      return whole.name;
    },
    index: async (name: string, request?: CargoRequest): Promise<Answer> =>
      send(getCrateIndex, indexPathOf(name), request),
    yank: async (name: string, version = '1.0.0', request?: CargoRequest): Promise<Answer> =>
      send(addYank, `api/v1/crates/${name}/${version}/yank`, request),
    unyank: async (name: string, version = '1.0.0', request?: CargoRequest): Promise<Answer> =>
      send(removeYank, `api/v1/crates/${name}/${version}/unyank`, request),
  };
};

/** What Cargo prints of a refusal. */
export const errorsOf = ({ text }: Answer): readonly unknown[] =>
  (JSON.parse(text) as { readonly errors: readonly { readonly detail: unknown }[] }).errors.map(({ detail }) => detail);
