import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { hashIn, packagesIn, useDebian } from '../../types/debian.ts';
import { contentIn, debOf, debPath } from '../../types/debian-files.ts';

const service = useService();
const debian = useDebian(service);

const newRepository = async () => service.world.repository(debian.setting.workspace, undefined, 'debian');

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const amd64 = 'dists/stable/main/binary-amd64';

describe('getDebianDocument', () => {
  it('lists what was published in lists that have the hashes and sizes that the Release names', async () => {
    const repository = await newRepository();
    const each = await debian.published({ architecture: 'amd64', control: ['Depends: libc6'] }, undefined, {
      repository,
    });
    const release = (await debian.bytesOf('dists/stable/Release', repository)).toString();
    for (const file of ['Packages', 'Packages.gz']) {
      const bytes = await debian.bytesOf(`${amd64}/${file}`, repository);
      expect(release).toContain(`\n ${sha256Of(bytes)} ${bytes.length} main/binary-amd64/${file}\n`);
      expect(await debian.bytesOf(`${amd64}/by-hash/SHA256/${sha256Of(bytes)}`, repository)).toEqual(bytes);
    }
    expect(release).toMatch(
      /^Origin: .+\nLabel: .+\nSuite: stable\nCodename: stable\nDate: \w{3}, .+ UTC\nArchitectures: all amd64\nComponents: main\nAcquire-By-Hash: yes\nNo-Support-for-Architecture-all: Packages\nSHA256:\n/,
    );
    const bytes = debOf(each);
    expect(await debian.list({ repository })).toBe(
      `Package: ${each.name}\nVersion: 1.0\nArchitecture: amd64\nMaintainer: Acme <packages@acme.example>\nInstalled-Size: 1\nDepends: libc6\nDescription: A package of a test\n What it is for.\nFilename: ${debPath(each)}\nSize: ${bytes.length}\nSHA256: ${sha256Of(bytes)}\n\n`,
    );
  });

  it('shows each publication and each deletion to the next reader, all versions in their order', async () => {
    const repository = await newRepository();
    for (const version of ['1.0', '1.0~rc1', '1:0.9', '10.0', '9.0'])
      await debian.published({ name: 'tool', version }, undefined, { repository });
    expect(await debian.packages({ repository })).toEqual(
      ['1.0~rc1', '1.0', '9.0', '10.0', '1:0.9'].map((version) => `tool ${version}`),
    );
    await debian.remove('pool/stable/main/tool_1.0_all.deb', { repository });
    expect(await debian.packages({ repository })).not.toContain('tool 1.0');
  });

  it('has the packages of a list in the order of their names', async () => {
    const repository = await newRepository();
    for (const name of ['two', 'one', 'zero', 'one-b'])
      await debian.published({ name, version: '1.0' }, undefined, { repository });
    expect(await debian.packages({ repository })).toEqual(['one 1.0', 'one-b 1.0', 'two 1.0', 'zero 1.0']);
  });

  it('keeps a signature of a distribution while packages are published to another one', async () => {
    const repository = await newRepository();
    await debian.published({}, 'stable/main', { repository });
    const before = await debian.bytesOf('dists/stable/InRelease', repository);
    // A signature says its second.
    await pause(1_100);
    await debian.published({}, 'testing/main', { repository });
    expect(await debian.bytesOf('dists/stable/InRelease', repository)).toEqual(before);
  });

  it('has packages for all architectures in the list of each, and the others in their own', async () => {
    const repository = await newRepository();
    await debian.published({ name: 'data', version: '1.0' }, undefined, { repository });
    await debian.published({ name: 'tool', version: '1.0', architecture: 'mips64el' }, undefined, { repository });
    const packages = async (architecture: string) => debian.packages({ architecture, repository });
    expect(await packages('mips64el')).toEqual(['data 1.0', 'tool 1.0']);
    for (const architecture of ['all', 'amd64', 'arm64', 'i386'])
      expect(await packages(architecture)).toEqual(['data 1.0']);
  });

  it('has a Release for each distribution, with lists for each of its components', async () => {
    const repository = await newRepository();
    const name = uniqueName('pkg');
    await debian.published({ name, version: '1.0' }, 'stable/main', { repository });
    await debian.published({ name, version: '2.0' }, 'stable/contrib', { repository });
    await debian.published({ name, version: '1.0', content: 'other bytes' }, 'testing/main', { repository });
    const release = (await debian.bytesOf('dists/stable/Release', repository)).toString();
    expect(release).toContain('\nComponents: contrib main\n');
    expect(await debian.packages({ repository })).toEqual([`${name} 1.0`]);
    expect(await debian.packages({ component: 'contrib', repository })).toEqual([`${name} 2.0`]);
    expect(await debian.packages({ distribution: 'testing', repository })).toEqual([`${name} 1.0`]);
    const path = debPath({ name, version: '1.0' }, 'testing/main');
    expect(contentIn((await debian.bytesOf(path, repository)).toString())).toBe('other bytes');
  });

  it('keeps a distribution whose last package was deleted, with empty lists', async () => {
    const repository = await newRepository();
    const each = await debian.published({ architecture: 'arm64' }, undefined, { repository });
    expect(await debian.packages({ architecture: 'arm64', repository })).toHaveLength(1);
    await debian.remove(debPath({ ...each, architecture: 'arm64' }), { repository });
    expect(await debian.list({ architecture: 'arm64', repository })).toBe('');
  });

  it('keeps such a distribution also if nobody has read it before, and through a virtual repository', async () => {
    const repository = await newRepository();
    const virtual = await createVirtual(service, debian.setting.workspace, [repository], { packageType: 'debian' });
    const each = await debian.published({ architecture: 'arm64' }, undefined, { repository });
    await debian.remove(debPath({ ...each, architecture: 'arm64' }), { repository });
    for (const one of [repository, virtual]) {
      expect(await debian.list({ architecture: 'arm64', repository: one })).toBe('');
      expect((await debian.bytesOf('dists/stable/Release', one)).toString()).toContain('\nComponents: main\n');
      expect((await debian.get('dists/other/Release', { repository: one })).status).toBe(404);
    }
  });

  it('keeps the lists of earlier revisions for those who have their Release, and the Release while nothing changes', async () => {
    const repository = await newRepository();
    const { name } = await debian.published({}, undefined, { repository });
    const before = (await debian.bytesOf('dists/stable/InRelease', repository)).toString();
    await debian.published({ name, version: '2.0' }, undefined, { repository });
    expect(await debian.packages({ repository })).toHaveLength(2);
    const hash = hashIn(before, 'main/binary-amd64/Packages.gz');
    const list = gunzipSync(await debian.bytesOf(`${amd64}/by-hash/SHA256/${hash}`, repository)).toString();
    expect(packagesIn(list)).toEqual([`${name} 1.0`]);
    await debian.published({ name }, 'other/main', { repository });
    const again = (await debian.bytesOf('dists/stable/InRelease', repository)).toString();
    expect((await debian.bytesOf('dists/stable/InRelease', repository)).toString()).toBe(again);
    expect(await debian.packages({ repository })).toHaveLength(2);
  });

  it('signs the Release anew with each revision, and has the key', async () => {
    const repository = await newRepository();
    await debian.published({ name: 'tool' }, undefined, { repository });
    const release = (await debian.bytesOf('dists/stable/Release', repository)).toString();
    const inRelease = (await debian.bytesOf('dists/stable/InRelease', repository)).toString();
    expect(
      inRelease.startsWith(`-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${release}-----BEGIN PGP SIG`),
    ).toBe(true);
    await debian.published({ name: 'tool', version: '2.0' }, undefined, { repository });
    const signature = (await debian.bytesOf('dists/stable/Release.gpg', repository)).toString();
    expect(signature).toMatch(/^-----BEGIN PGP SIGNATURE-----\n/);
    expect((await debian.bytesOf('dists/stable/Release', repository)).toString()).not.toBe(release);
    expect((await debian.bytesOf('dists/stable/Release.gpg', repository)).toString()).not.toBe(signature);
    expect((await debian.bytesOf('key.asc', repository)).toString()).toMatch(/^-----BEGIN PGP PUBLIC KEY BLOCK-----\n/);
  });

  it('answers 304 to who has the Release of this revision by its date, and no other', async () => {
    const repository = await newRepository();
    await debian.published({ name: 'tool' }, undefined, { repository });
    const first = await debian.get('dists/stable/InRelease', { repository });
    const headers = { 'If-Modified-Since': String(first.headers['last-modified']) };
    expect((await debian.get('dists/stable/InRelease', { repository, headers })).status).toBe(304);
    await debian.published({ name: 'tool', version: '2.0' }, undefined, { repository });
    expect((await debian.get('dists/stable/InRelease', { repository, headers })).status).toBe(200);
  });

  it('has lists of more architectures than one transaction stores', async () => {
    const repository = await newRepository();
    const architectures = Array.from({ length: 56 }, (_, at) => `arch${at}`);
    await Promise.all(
      architectures.map(async (architecture) =>
        debian.published({ name: 'tool', architecture }, undefined, { repository }),
      ),
    );
    for (const version of ['1.0', '2.0']) {
      for (const architecture of architectures)
        if (version === '2.0')
          await debian.published({ name: 'tool', version, architecture }, undefined, { repository });
      for (const architecture of architectures)
        expect(await debian.packages({ architecture, repository })).toContain(`tool ${version}`);
    }
  }, 120_000);

  it('sees every one of parallel publications, and makes one Release for all who read at once', async () => {
    const repository = await newRepository();
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const each = { name: 'many', version: `1.${at}` };
        await debian.put(debPath(each), debOf(each), { repository });
        expect(await debian.packages({ repository })).toContain(`many 1.${at}`);
      }),
    );
    const all = await Promise.all(
      Array.from({ length: 8 }, async () => debian.bytesOf('dists/stable/InRelease', repository)),
    );
    expect(new Set(all.map(String)).size).toBe(1);
    expect(await debian.packages({ repository })).toHaveLength(12);
  });

  itAnswers('404 FILE_NOT_FOUND for a Release where no distribution can be, and names none', async () => {
    const repository = await newRepository();
    await debian.published({ name: 'tool' }, 'undefined/main', { repository });
    await debian.bytesOf('dists/undefined/InRelease', repository);
    const answers = [];
    for (const entry of ['InRelease', 'Release', 'Release.gpg'])
      for (const directory of ['dists', 'dists/stable/updates', 'dists/stable/main'])
        answers.push(await debian.get(`${directory}/${entry}`, { repository }));
    for (const { problem } of answers) expect(problem?.detail).not.toContain('in the distribution');
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for what is not there', async () => {
    const { name } = await debian.published();
    const release = (await debian.bytesOf('dists/stable/InRelease')).toString();
    const hash = hashIn(release, 'main/binary-amd64/Packages.gz');
    return Promise.all(
      [
        'dists/none/InRelease',
        'dists/none/main/binary-amd64/Packages.gz',
        'dists/stable/updates/InRelease',
        'dists/stable/main/Release',
        `dists/stable/main/binary-amd64/by-hash/SHA256/${hash.replaceAll(/[0-9]/g, '0')}`,
        `dists/stable/main/binary-amd64/by-hash/MD5Sum/${hash}`,
        `dists/none/main/binary-amd64/by-hash/SHA256/${hash}`,
        'dists/stable/main/binary-amd64/Packages.xz',
        'dists/stable/none/binary-amd64/Packages.gz',
        'InRelease',
        'Packages.gz',
        `pool/stable/main/${name}_2.0_all.deb`,
        `pool/testing/main/${name}_1.0_all.deb`,
        'pool/stable/main/none.deb',
        'dists/../key.asc',
      ].map(async (path) => debian.get(path)),
    );
  });
});
