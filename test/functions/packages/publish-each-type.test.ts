import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { indexPathOf } from '../../../functions/cargo/names.ts';
import { getMavenFile } from '../../../functions/maven/contracts.ts';
import {
  createUpload,
  deletePackageVersion,
  getPackageVersion,
  listPackages,
  publishPackage,
  publishUpload,
} from '../../../functions/packages/contracts.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import { sha256 } from '../../harness/bytes.ts';
import { crateFileOf } from '../../harness/cargo.ts';
import { moduleZip } from '../../harness/go.ts';
import { chartOf } from '../../harness/helm.ts';
import { packed } from '../../harness/npm.ts';
import { wheelName, wheelOf } from '../../harness/pypi.ts';
import { shareOf } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';
import { announced, formOf, putUpload } from '../../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';
import { packageZip, pathOfFile } from '../../types/composer.ts';
import { hashIn } from '../../types/debian.ts';
import { debOf, debPath } from '../../types/debian-files.ts';
import { gemOf } from '../../types/gems.ts';
import { nupkgOf } from '../../types/nupkgs.ts';
import { namedIn } from '../../types/rpm.ts';
import { rpmOf, rpmPath } from '../../types/rpm-files.ts';

const service = useService();
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
});

/** Reads a path below the address of the repository. */
type Get = (path: string) => Promise<{ readonly status: number; readonly bytes: Buffer }>;

/** The files of a version, and the paths at which clients of the type find its index and each file. */
interface Version {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Or what reads the index, where that is not one document. */
  readonly index: string | ((get: Get) => Promise<string>);
  readonly pathOf: (file: string) => string;
}

/** Only clients publish images and recipes; a test of its own publishes universal files. */
type Tried = Exclude<PackageType, 'conan' | 'docker' | 'universal'>;

const types: Readonly<Record<Tried, (word: string, content: string) => Promise<Version>>> = {
  npm: async (name, readme) => ({
    name,
    version: '1.0.0',
    files: { [`${name}-1.0.0.tgz`]: await packed({ name, version: '1.0.0', description: readme }) },
    index: name,
    pathOf: (file) => `${name}/-/${file}`,
  }),
  pypi: async (name, content) => {
    const each = { name, version: '1.0.0' };
    return {
      ...each,
      files: { [wheelName(each)]: wheelOf(each, { 'content.txt': content }) },
      index: `simple/${name}/`,
      pathOf: (file) => `files/${name}/1.0.0/${file}`,
    };
  },
  maven: async (word, jar) => ({
    name: `org.acme:${word}`,
    version: '1.0.0',
    files: {
      [`${word}-1.0.0.pom`]: `<project><modelVersion>4.0.0</modelVersion><groupId>org.acme</groupId><artifactId>${word}</artifactId><version>1.0.0</version></project>`,
      [`${word}-1.0.0.jar`]: jar,
    },
    index: `org/acme/${word}/maven-metadata.xml`,
    pathOf: (file) => `org/acme/${word}/1.0.0/${file}`,
  }),
  go: async (word, content) => {
    const name = `corp.example/${word}`;
    return {
      name,
      version: 'v1.0.0',
      files: { 'v1.0.0.zip': moduleZip(name, 'v1.0.0', { 'content.txt': content }) },
      index: `${name}/@v/list`,
      pathOf: (file) => `${name}/@v/${file}`,
    };
  },
  cargo: async (name, code) => ({
    name,
    version: '1.0.0',
    files: { [`${name}-1.0.0.crate`]: await crateFileOf({ name, version: '1.0.0', code }) },
    index: indexPathOf(name),
    pathOf: () => `api/v1/crates/${name}/1.0.0/download`,
  }),
  composer: async (word, content) => {
    const name = `acme/${word}`;
    return {
      name,
      version: '1.0.0',
      files: { 'app.zip': packageZip({ name, version: '1.0.0', content }) },
      index: `p2/${name}.json`,
      pathOf: () => pathOfFile(name, '1.0.0'),
    };
  },
  nuget: async (name, content) => ({
    name,
    version: '1.0.0',
    files: { [`${name}.1.0.0.nupkg`]: nupkgOf({ id: name, version: '1.0.0', content }) },
    index: `v3/flat/${name}/index.json`,
    pathOf: (file) => `v3/flat/${name}/1.0.0/${file}`,
  }),
  chocolatey: async (name, content) => ({
    name,
    version: '1.0.0',
    files: { [`${name}.1.0.0.nupkg`]: nupkgOf({ id: name, version: '1.0.0', content }) },
    index: `FindPackagesById()?id='${name}'`,
    pathOf: () => `package/${name}/1.0.0`,
  }),
  gems: async (name, content) => ({
    name,
    version: '1.0.0',
    files: { [`${name}-1.0.0.gem`]: gemOf({ name, version: '1.0.0', content }) },
    index: `info/${name}`,
    pathOf: (file) => `gems/${file}`,
  }),
  rpm: async (name, content) => ({
    name,
    version: '1.0-1.noarch',
    files: { [`${name}.rpm`]: rpmOf({ name, version: '1.0', content }) },
    index: async (get) => {
      const repomd = (await get('repodata/repomd.xml')).bytes.toString();
      const primary = gunzipSync((await get(`repodata/${namedIn(repomd, 'primary')}`)).bytes).toString();
      return primary.replaceAll(/href="Packages\/[a-z0-9]+-(.*)\.rpm"/g, '"$1"');
    },
    pathOf: () => rpmPath({ name, version: '1.0' }),
  }),
  debian: async (name, content) => ({
    name,
    version: 'stable/main/1.0_all',
    files: { [`${name}.deb`]: debOf({ name, version: '1.0', content }) },
    index: async (get) => {
      const release = (await get('dists/stable/InRelease')).bytes.toString();
      const folder = 'main/binary-all';
      const hash = hashIn(release, `${folder}/Packages.gz`);
      const list = gunzipSync((await get(`dists/stable/${folder}/by-hash/SHA256/${hash}`)).bytes).toString();
      return list.replaceAll(/^Filename: pool\/(.*)\/[^/_]+_(.*)\.deb$/gm, '"$1/$2"');
    },
    pathOf: () => debPath({ name, version: '1.0' }),
  }),
  helm: async (name, content) => ({
    name,
    version: '1.0.0',
    files: { [`${name}-1.0.0.tgz`]: await chartOf({ name, version: '1.0.0', content }) },
    index: 'index.yaml',
    pathOf: (file) => `charts/${file}`,
  }),
};

const indexText = async ({ index }: Version, get: Get): Promise<string> =>
  typeof index === 'string' ? (await get(index)).bytes.toString() : index(get);

const ways = {
  'with one form': async (params: { workspace: string; repository: string }, { files }: Version) => {
    const bytes = formOf(Object.entries(files).map(([file, content]) => ({ file, content })));
    return service.client.attempt(publishPackage, { params, bytes, as: admin.bearer });
  },
  'through an upload session': async (params: { workspace: string; repository: string }, { files }: Version) => {
    const as = admin.bearer;
    const body = { files: Object.entries(files).map(([file, content]) => announced(file, content)) };
    const upload = await service.client.succeed(createUpload, { params, body, as });
    for (const file of upload.files) await putUpload(file, files[file.name] ?? '');
    return service.client.attempt(publishUpload, { params: { ...params, upload: upload.id }, as });
  },
};

describe.each(shareOf(Object.entries(types), 3))('A version of %s', (packageType, newVersion) => {
  it.each(Object.entries(ways))(
    'that is published %s is what its clients get, is listed, stays as it is, and can be deleted',
    async (_, publish) => {
      const repository = await service.world.repository(workspace, undefined, packageType as PackageType);
      const params = { workspace: workspace.id, repository: repository.id };
      const get = async (path: string) => {
        const url = `${service.runner.url}/${packageType}/${workspace.name}/${repository.name}/${path}`;
        const answer = await fetch(url, { headers: { Authorization: admin.bearer } });
        return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
      };
      const word = uniqueName('each');
      const each = await newVersion(word, 'first');
      const { name, version, files, pathOf } = each;
      expect((await publish(params, each)).status).toBe(201);
      for (const [file, content] of Object.entries(files)) {
        const { status, bytes } = await get(pathOf(file));
        expect([file, status, sha256(bytes)]).toEqual([file, 200, sha256(content)]);
      }
      expect(await indexText(each, get)).toContain(version);
      const { packages } = await service.client.succeed(listPackages, { params, as: admin.bearer });
      expect(packages).toMatchObject([{ name, latestVersion: version, versionCount: 1 }]);
      const ofVersion = { params: { ...params, package: name, version }, as: admin.bearer };
      const shown = await service.client.succeed(getPackageVersion, ofVersion);
      expect(shown.files.map((file) => file.sha256)).toEqual(
        expect.arrayContaining(Object.values(files).map((content) => sha256(content))),
      );
      expect((await publish(params, await newVersion(word, 'second'))).code).toBe('VERSION_EXISTS');
      await service.client.succeed(deletePackageVersion, ofVersion);
      for (const file of Object.keys(files)) expect((await get(pathOf(file))).status).toBe(404);
      expect(await indexText(each, get)).not.toContain(`"${version}"`);
      expect((await service.client.succeed(listPackages, { params, as: admin.bearer })).packages).toEqual([]);
    },
  );
});

describe('A version of maven', () => {
  it.each(Object.entries(ways))('that is published %s has the checksums of each file', async (_, publish) => {
    const repository = await service.world.repository(workspace, undefined, 'maven');
    const params = { workspace: workspace.id, repository: repository.id };
    const version = await types.maven(uniqueName('each'), 'the jar');
    expect((await publish(params, version)).status).toBe(201);
    for (const [file, content] of Object.entries(version.files))
      for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
        const path = `${version.pathOf(file)}.${algorithm}`;
        const { text } = await service.client.attempt(getMavenFile, { params: { ...params, path }, as: admin.bearer });
        expect([path, text]).toEqual([path, createHash(algorithm).update(content).digest('hex')]);
      }
  });
});
