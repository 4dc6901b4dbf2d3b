import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { getPypiDocument, publishPypiFile } from '../../functions/pypi/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from './client.ts';
import { createRemote, createVirtual } from './repositories.ts';
import type { Service } from './service.ts';
import { formOf } from './uploads.ts';
import type { Actor, Named } from './world.ts';

/** The files of an archive, by their paths. */
type Files = Readonly<Record<string, string | Uint8Array>>;

interface ZipEntry {
  readonly header: Buffer;
  readonly bytes: Buffer;
}

const entryOf = (path: string, content: Buffer, isStored: boolean): ZipEntry => {
  const bytes = isStored ? content : deflateRawSync(content, { level: 0 });
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(isStored ? 0 : 8, 4);
  header.writeUInt32LE(crc32(content), 10);
  header.writeUInt32LE(bytes.length, 14);
  header.writeUInt32LE(content.length, 18);
  header.writeUInt16LE(Buffer.byteLength(path), 22);
  return { header, bytes };
};

const signature = (number: number): Buffer => Buffer.from([0x50, 0x4b, number, number + 1]);

/**
 * A zip archive. Texts of METADATA are in the form of deflate, all others stored. Nothing is compressed, so that a large content
 * stays large, and names of one length make archives of one size.
 */
export const zipOf = (files: Files): Buffer => {
  const [local, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const { header, bytes } = entryOf(path, Buffer.from(content), !path.endsWith('/METADATA'));
    const parts = [signature(3), header, Buffer.from(path), bytes];
    local.push(...parts);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(signature(1), Buffer.from([20, 0]), header, rest, Buffer.from(path));
    offset += Buffer.concat(parts).length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, listed, signature(5), end]);
};

/** A version of a project, and what its one module contains. */
export interface PythonPackage {
  readonly name: string;
  readonly version: string;
  readonly content?: string;
  readonly requiresPython?: string;
  readonly requiresDist?: readonly string[];
}

/** METADATA of a wheel, or PKG-INFO of a source distribution. */
export const coreMetadata = ({ name, version, requiresPython, requiresDist = [] }: PythonPackage): string =>
  [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...(requiresPython === undefined ? [] : [`Requires-Python: ${requiresPython}`]),
    ...requiresDist.map((each) => `Requires-Dist: ${each}`),
    '',
    'A description.\n\nName: no field\n',
  ].join('\n');

/** The name of a project as its module and its files have it. */
export const moduleOf = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '_');

/** The beginning of the names of the files of a version. */
const stemOf = ({ name, version }: PythonPackage): string => `${moduleOf(name)}-${version}`;

export const wheelName = (each: PythonPackage): string => `${stemOf(each)}-py3-none-any.whl`;
export const sdistName = (each: PythonPackage): string => `${stemOf(each)}.tar.gz`;

/** A wheel that pip and uv install. */
export const wheelOf = (each: PythonPackage, files: Files = {}): Buffer => {
  const info = `${stemOf(each)}.dist-info`;
  const installed: Files = {
    [`${moduleOf(each.name)}/__init__.py`]: '',
    [`${moduleOf(each.name)}/content.txt`]: each.content ?? `${each.name} ${each.version}`,
    [`${info}/METADATA`]: coreMetadata(each),
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ...files,
  };
  const record = Object.keys(installed).map((path) => `${path},,\n`);
  return zipOf({ ...installed, [`${info}/RECORD`]: `${record.join('')}${info}/RECORD,,\n` });
};

/** A source distribution. */
export const sdistOf = async (each: PythonPackage, files: Files = {}): Promise<Buffer> => {
  const archive = pack();
  const all = { 'PKG-INFO': coreMetadata(each), 'setup.py': 'raise SystemExit', ...files };
  for (const [path, content] of Object.entries(all))
    archive.entry({ name: `${stemOf(each)}/${path}` }, Buffer.from(content));
  archive.finalize();
  return gzipSync(await buffer(archive), { level: 0 });
};

/** The form that twine sends. A field of undefined is left out. */
export const uploadForm = (
  file: string,
  content: Uint8Array,
  { name, version }: PythonPackage,
  fields: Readonly<Record<string, string | undefined>> = {},
  signed?: string,
) => {
  const all: Readonly<Record<string, string | undefined>> = {
    ':action': 'file_upload',
    protocol_version: '1',
    metadata_version: '2.1',
    name,
    version,
    filetype: file.endsWith('.whl') ? 'bdist_wheel' : 'sdist',
    sha256_digest: createHash('sha256').update(content).digest('hex'),
    ...fields,
  };
  return formOf([
    ...Object.entries(all).flatMap(([field, value]) => (value === undefined ? [] : [{ field, value }])),
    { file, content, name: 'content' },
    ...(signed === undefined ? [] : [{ file: `${file}.asc`, content: signed, name: 'gpg_signature' }]),
  ]);
};

/** The media type of a page in JSON. */
export const jsonPage = 'application/vnd.pypi.simple.v1+json';

/** A page in JSON, as far as the tests read it. */
export interface Page {
  readonly meta: { readonly 'api-version': string };
  readonly name: string;
  readonly versions?: readonly string[];
  readonly files: readonly Readonly<Record<string, unknown>>[];
}

interface Asked {
  /** Another repository than that of the test. */
  readonly repository?: Named;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** A workspace with a repository of Python packages, and the requests that pip and twine send to it. */
export const usePythonRepository = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    Object.assign(setting, {
      workspace,
      admin,
      repository: await service.world.repository(workspace, undefined, 'pypi'),
    });
  });
  const basePath = (repository = setting.repository): string => `/pypi/${setting.workspace.name}/${repository.name}`;
  const send = async (
    contract: Contract,
    path: string,
    { as = setting.admin.bearer, headers = {}, method = contract.method }: Asked,
    body?: Uint8Array,
  ): Promise<Answer> =>
    service.client.sendTo(contract, {
      method,
      path,
      headers: Object.entries({ Authorization: as, ...headers }),
      ...(body && { body }),
    });
  const get = async (path: string, asked: Asked = {}): Promise<Answer> =>
    send(getPypiDocument, `${basePath(asked.repository)}/${path}`, asked);
  const upload = async (
    { content, mediaType }: ReturnType<typeof uploadForm>,
    { slash = '', ...asked }: Asked & { readonly slash?: '' | '/' } = {},
  ): Promise<Answer> => {
    const headers = { 'Content-Type': mediaType, ...asked.headers };
    return send(publishPypiFile, basePath(asked.repository) + slash, { ...asked, headers }, content);
  };
  return {
    setting,
    get,
    upload,
    /** The page of a project in JSON. */
    page: async (name: string, repository?: Named): Promise<Page> => {
      const { status, text } = await get(`simple/${name}/`, {
        headers: { Accept: jsonPage },
        ...(repository && { repository }),
      });
      if (status !== 200) throw new Error(`${name} has no page: ${text}`);
      return JSON.parse(text) as Page;
    },
    /** Publishes a wheel, and returns it. */
    publish: async (each: PythonPackage, asked: Asked = {}): Promise<Buffer> => {
      const wheel = wheelOf(each);
      const { status, text } = await upload(uploadForm(wheelName(each), wheel, each), asked);
      if (status !== 200) throw new Error(`${each.name} was not published: ${text}`);
      return wheel;
    },
    remote: async (fields: Parameters<typeof createRemote>[2]): Promise<Named> =>
      createRemote(service, setting.workspace, { packageType: 'pypi', ...fields }),
    virtual: async (children: readonly Named[], fields: Parameters<typeof createVirtual>[3] = {}): Promise<Named> =>
      createVirtual(service, setting.workspace, children, { packageType: 'pypi', ...fields }),
  };
};
