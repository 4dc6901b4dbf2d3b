import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { namedIn, useRpm } from '../../types/rpm.ts';
import { contentIn, rpmOf, rpmPath } from '../../types/rpm-files.ts';

const service = useService();
const rpm = useRpm(service);

const newRepository = async () => service.world.repository(rpm.setting.workspace, undefined, 'rpm');

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('getRpmDocument', () => {
  it('lists what was published in lists that have the hashes that repomd.xml names', async () => {
    const repository = await newRepository();
    const each = await rpm.published({ files: ['/usr/bin/tool', '/usr/share/tool/data'] }, '', { repository });
    const repomd = (await rpm.bytesOf('repodata/repomd.xml', repository)).toString();
    for (const type of ['primary', 'filelists', 'other']) {
      const file = namedIn(repomd, type);
      const bytes = await rpm.bytesOf(`repodata/${file}`, repository);
      const data = new RegExp(`<data type="${type}">([\\s\\S]*?)</data>`).exec(repomd)?.[1] ?? '';
      expect(file).toBe(`${sha256Of(bytes)}-${type}.xml.gz`);
      expect(data).toContain(`<checksum type="sha256">${sha256Of(bytes)}<`);
      expect(data).toContain(`<open-checksum type="sha256">${sha256Of(gunzipSync(bytes))}<`);
      expect(data).toContain(`<size>${bytes.length}</size>`);
      expect(data).toContain(`<open-size>${gunzipSync(bytes).length}</open-size>`);
    }
    const [primary, filelists] = [
      await rpm.list('primary', { repository }),
      await rpm.list('filelists', { repository }),
    ];
    expect(primary).toContain(`<location href="${rpmPath(each)}"/>`);
    expect(primary).toContain('<file>/usr/bin/tool</file>');
    expect(primary).not.toContain('/usr/share/tool/data');
    expect(filelists).toContain('<file>/usr/share/tool/data</file>');
  });

  it('shows each publication and each deletion to the next reader', async () => {
    const repository = await newRepository();
    expect(await rpm.builds({ repository })).toEqual([]);
    const { name } = await rpm.published({ name: 'tool', version: '1.0~rc1' }, '', { repository });
    await rpm.published({ name, version: '1.0' }, '', { repository });
    await rpm.published({ name, version: '0.9', epoch: 1 }, '', { repository });
    const all = ['tool 0:1.0~rc1-1', 'tool 0:1.0-1', 'tool 1:0.9-1'];
    expect(await rpm.builds({ repository })).toEqual(all);
    await rpm.remove('Packages/tool-1.0-1.noarch.rpm', { repository });
    expect(await rpm.builds({ repository })).toEqual([all[0], all[2]]);
  });

  it('keeps a directory whose last package was deleted, with empty lists, also through a virtual repository', async () => {
    const repository = await newRepository();
    const virtual = await createVirtual(service, rpm.setting.workspace, [repository], { packageType: 'rpm' });
    const { name } = await rpm.published({ name: 'tool' }, 'el9', { repository });
    await rpm.remove(`el9/Packages/${name}-1.0-1.noarch.rpm`, { repository });
    for (const one of [repository, virtual]) {
      const { status, text } = await rpm.get('el9/repodata/repomd.xml', { repository: one });
      expect([status, text.includes('-primary.xml.gz')]).toEqual([200, true]);
      expect((await rpm.get('el8/repodata/repomd.xml', { repository: one })).status).toBe(404);
    }
  });

  it('has the packages of a list in the order of their names', async () => {
    const repository = await newRepository();
    for (const name of ['two', 'one', 'zero', 'one-b']) await rpm.published({ name }, '', { repository });
    const builds = await rpm.builds({ repository });
    expect(builds).toEqual(['one', 'one-b', 'two', 'zero'].map((name) => `${name} 0:1.0-1`));
  });

  it('keeps the lists of earlier revisions for those who have their repomd.xml', async () => {
    const repository = await newRepository();
    const { name } = await rpm.published({}, '', { repository });
    const before = (await rpm.bytesOf('repodata/repomd.xml', repository)).toString();
    await rpm.published({ name, version: '2.0' }, '', { repository });
    expect(await rpm.builds({ repository })).toHaveLength(2);
    const list = gunzipSync(await rpm.bytesOf(`repodata/${namedIn(before, 'primary')}`, repository)).toString();
    expect(list).toContain('packages="1"');
    const again = (await rpm.bytesOf('repodata/repomd.xml', repository)).toString();
    expect((await rpm.bytesOf('repodata/repomd.xml', repository)).toString()).toBe(again);
  });

  it('has repositories by paths, each with lists of its own', async () => {
    const repository = await newRepository();
    const name = uniqueName('pkg');
    await rpm.published({ name, version: '1.0' }, 'el8/x86_64', { repository });
    await rpm.published({ name, version: '1.0', content: 'other bytes' }, 'el9/x86_64', { repository });
    await rpm.published({ name, version: '3.0' }, '', { repository });
    expect(await rpm.builds({ group: 'el8/x86_64', repository })).toEqual([`${name} 0:1.0-1`]);
    expect(await rpm.builds({ repository })).toEqual([`${name} 0:3.0-1`]);
    const path = `el9/x86_64/Packages/${name}-1.0-1.noarch.rpm`;
    expect(contentIn((await rpm.bytesOf(path, repository)).toString())).toBe('other bytes');
    expect((await rpm.get('el8/repodata/repomd.xml', { repository })).status).toBe(404);
  });

  it('serves a package also without Packages in its path, and under a letter: 200', async () => {
    const each = await rpm.published({ content: 'the payload' });
    const file = rpmPath(each).slice('Packages/'.length);
    for (const path of [rpmPath(each), file, `Packages/p/${file}`])
      expect(contentIn((await rpm.get(path)).text)).toBe('the payload');
  });

  it('has the lines for /etc/yum.repos.d, of a group, too', async () => {
    const { workspace, repository } = rpm.setting;
    const { status, text } = await rpm.get('el9/x86_64/acme.repo');
    expect(status).toBe(200);
    expect(text).toContain(`[${workspace.name}-${repository.name}-el9-x86_64]\n`);
    expect(text).toContain(`\nbaseurl=${service.runner.url}/rpm/${workspace.name}/${repository.name}/el9/x86_64\n`);
  });

  it.each([
    'repodata/none.xml.gz',
    'none.txt',
    'Packages/none.rpm',
    'repodata/repodata/x',
    'el9/../repodata/repomd.xml',
    'Packages/none-1-1.noarch.rpm',
  ])('refuses %s with a sentence: 404 FILE_NOT_FOUND', async (path) => {
    const { status, code } = await rpm.get(path);
    expect([status, code]).toEqual([404, 'FILE_NOT_FOUND']);
  });

  it('signs repomd.xml anew with each revision, and has the key', async () => {
    const repository = await newRepository();
    const signatures = new Set<string>();
    for (const version of ['1.0', '2.0']) {
      await rpm.published({ name: 'tool', version }, '', { repository });
      const before = (await rpm.bytesOf('repodata/repomd.xml', repository)).toString();
      const signature = (await rpm.bytesOf('repodata/repomd.xml.asc', repository)).toString();
      expect(signature).toMatch(/^-----BEGIN PGP SIGNATURE-----\n/);
      signatures.add(signature);
      await rpm.published({ name: 'tool', version: `${version}.1` }, '', { repository });
      expect((await rpm.bytesOf('repodata/repomd.xml.asc', repository)).toString()).toBe(signature);
      expect((await rpm.bytesOf('repodata/repomd.xml', repository)).toString()).not.toBe(before);
    }
    expect(signatures.size).toBe(2);
    const key = (await rpm.bytesOf('key.asc', repository)).toString();
    expect(key).toMatch(/^-----BEGIN PGP PUBLIC KEY BLOCK-----\n/);
    expect((await rpm.bytesOf('repodata/repomd.xml.key', repository)).toString()).toBe(key);
    expect((await rpm.get('tool.repo', { repository })).text).toContain('repo_gpgcheck=1\ngpgkey=');
  });

  it('leads those who ask for mirrors to a set that stays the same while others publish', async () => {
    const { workspace } = rpm.setting;
    const repository = await newRepository();
    const base = `${service.runner.url}/rpm/${workspace.name}/${repository.name}`;
    for (const group of ['', 'el9/x86_64']) {
      const below = group === '' ? '' : `${group}/`;
      const each = await rpm.published({ content: `of ${group}` }, group, { repository });
      expect((await rpm.get(`${below}a.repo`, { repository })).text).toContain(
        `\nmirrorlist=${base}/${below}mirrorlist\n`,
      );
      const { text: mirrors } = await rpm.get(`${below}mirrorlist`, { repository });
      const [, snapshot = ''] = new RegExp(`^${base}/${below}(_snapshot/[0-9a-f]{64})/\n$`).exec(mirrors) ?? [];
      const at = `${below}${snapshot}`;
      const before = (await rpm.bytesOf(`${below}repodata/repomd.xml`, repository)).toString();
      const signature = (await rpm.bytesOf(`${below}repodata/repomd.xml.asc`, repository)).toString();
      await rpm.published({}, group, { repository });
      expect((await rpm.bytesOf(`${below}repodata/repomd.xml`, repository)).toString()).not.toBe(before);
      expect((await rpm.bytesOf(`${at}/repodata/repomd.xml`, repository)).toString()).toBe(before);
      expect((await rpm.bytesOf(`${at}/repodata/repomd.xml.asc`, repository)).toString()).toBe(signature);
      expect((await rpm.get(`${at}/repodata/${namedIn(before, 'primary')}`, { repository })).status).toBe(200);
      expect(contentIn((await rpm.get(`${at}/${rpmPath(each)}`, { repository })).text)).toBe(`of ${group}`);
      expect((await rpm.get(`${below}mirrorlist`, { repository })).text).not.toBe(mirrors);
    }
  });

  it('has what is current at the address of a set that is gone', async () => {
    const repository = await newRepository();
    await rpm.published({}, '', { repository });
    const current = (await rpm.bytesOf('repodata/repomd.xml', repository)).toString();
    const gone = `_snapshot/${'0'.repeat(64)}`;
    expect((await rpm.bytesOf(`${gone}/repodata/repomd.xml`, repository)).toString()).toBe(current);
    expect((await rpm.get(`${gone.slice(0, -1)}/repodata/repomd.xml`, { repository })).status).toBe(404);
  });

  it('has the repomd.xml of the signature that was read before, once, for those who send its cookie back', async () => {
    const { workspace, admin } = rpm.setting;
    const repository = await newRepository();
    const url = `${service.runner.url}/rpm/${workspace.name}/${repository.name}/repodata/repomd.xml`;
    const ask = async (address: string, cookie = '', method = 'GET') => {
      const answer = await fetch(address, { method, headers: { Authorization: admin.bearer, Cookie: cookie } });
      return { text: await answer.text(), etag: answer.headers.get('etag'), cookies: answer.headers.getSetCookie() };
    };
    await rpm.published({}, '', { repository });
    const before = await ask(url);
    expect(before.cookies).toEqual([]);
    const [stored = ''] = (await ask(`${url}.asc`)).cookies;
    const path = `Path=/rpm/${workspace.name}/${repository.name}/repodata/; HttpOnly; SameSite=Strict`;
    expect(stored).toMatch(new RegExp(`^stockroom-snapshot=[0-9a-f]{64}; Max-Age=60; ${path}$`));
    await rpm.published({}, '', { repository });
    const cookie = `other=1; ${stored.split(';')[0]}`;
    const current = await ask(url);
    expect(current.text).not.toBe(before.text);
    expect((await ask(url, cookie, 'HEAD')).etag).toBe(current.etag);
    const bound = await ask(url, cookie);
    expect(bound.text).toBe(before.text);
    expect(bound.cookies).toEqual([`stockroom-snapshot=; Max-Age=0; ${path}`]);
    for (const value of ['none', namedIn(current.text, 'primary')])
      expect((await ask(url, `stockroom-snapshot=${value}`)).text).toBe(current.text);
  });

  it('makes one set for all who read a revision at once', async () => {
    const repository = await newRepository();
    await rpm.published({}, '', { repository });
    const all = await Promise.all(
      Array.from({ length: 8 }, async () => rpm.bytesOf('repodata/repomd.xml', repository)),
    );
    expect(new Set(all.map(String)).size).toBe(1);
  });

  it('sees every one of parallel publications', async () => {
    const repository = await newRepository();
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const each = { name: 'many', version: `1.${at}` };
        await rpm.put(rpmPath(each), rpmOf(each), { repository });
        const builds = await rpm.builds({ repository });
        expect(builds).toContain(`many 0:1.${at}-1`);
      }),
    );
    expect(await rpm.builds({ repository })).toHaveLength(12);
  });
});
