import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';
import { hashIn, packagesIn, useDebian } from '../../types/debian.ts';
import { contentIn, debOf, debPath } from '../../types/debian-files.ts';
import { distsOf, flatOf } from '../../types/debian-upstreams.ts';

const service = useService();
const upstream = useUpstream();
const { setting, get, published, bytesOf, packages, list } = useDebian(service);

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'debian', remoteRepositoryUrl: upstream.url, ...fields });

const virtualOver = async (children: readonly Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'debian' });

const local = async (): Promise<Named> => service.world.repository(setting.workspace, undefined, 'debian');

/** Lets the upstream serve these contents by path. */
const serve = (contents: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = contents[decodeURIComponent(request.url ?? '').slice(1)];
    const answer = content === undefined ? refusing(404) : serving(content, { ETag: `"${sha256(content)}"` });
    answer(request, response);
  };
};

const tool = debOf({ name: 'tool', version: '1.0', content: 'of the upstream' });
const path = 'pool/main/t/tool/tool_1.0_all.deb';
const dists = distsOf({ [path]: tool }, { others: { 'main/i18n/Translation-en': 'Package: tool\n' } });
const site: Readonly<Record<string, string | Uint8Array>> = {
  ...dists,
  [path]: tool,
  'pool/main/t/tool/tool_1.0.dsc': 'Format: 3.0\n',
};
const hashed = { ...distsOf({ [path]: tool }, { hasHashes: true }), [path]: tool };

const flat = { ...flatOf({ './tool_1.0_all.deb': tool }, { list: 'of a flat one' }), 'tool_1.0_all.deb': tool };

const folder = 'dists/stable/main/binary-amd64';

const unhashed = distsOf({ [path]: tool }, { hasHashes: 'promised' });

const textOf = (contents: Readonly<Record<string, string | Uint8Array>>, at: string): string =>
  Buffer.from(contents[at] as Uint8Array).toString();

describe('A remote repository of Debian', () => {
  it.each([
    ['by their names', site],
    ['by their hashes', hashed],
  ])('passes on all that the upstream has %s, byte for byte, and keeps it', async (_, contents) => {
    serve(contents);
    const repository = await remote();
    for (const [at, content] of Object.entries(contents))
      expect(await bytesOf(at, repository)).toEqual(Buffer.from(content as Uint8Array));
    const count = upstream.requests.length;
    upstream.answer = refusing(500);
    for (const at of Object.keys(contents)) await bytesOf(at, repository);
    expect(upstream.requests.length).toBe(count);
  });

  it('serves a list by its hash, also where the upstream has none by it, and by its name where it is by hash alone', async () => {
    serve(site);
    const hash = hashIn(textOf(site, 'dists/stable/Release'), 'main/binary-amd64/Packages.gz');
    const byName = Buffer.from(site[`${folder}/Packages.gz`] as Uint8Array);
    expect(await bytesOf(`${folder}/by-hash/SHA256/${hash}`, await remote())).toEqual(byName);
    serve(hashed);
    expect(packagesIn(gunzipSync(await bytesOf(`${folder}/Packages.gz`, await remote())).toString())).toEqual([
      'tool 1.0',
    ]);
  });

  it('serves a list by its plain name where the upstream promises names by hashes and has none', async () => {
    serve(unhashed);
    const repository = await remote();
    const packed = Buffer.from(unhashed[`${folder}/Packages.gz`] as Uint8Array);
    const byHash = `${folder}/by-hash/SHA256/${sha256(packed)}`;
    expect(await bytesOf(`${folder}/Packages.gz`, repository)).toEqual(packed);
    expect(await bytesOf(byHash, await remote())).toEqual(packed);
    upstream.answer = refusing(500);
    expect(await bytesOf(byHash, repository)).toEqual(packed);
  });

  it('serves a list by no time, but by the hash that the Release which it has names', async () => {
    serve(site);
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1, fileCacheTimeTillRevalidation: 1 });
    const before = await bytesOf(`${folder}/Packages.gz`, repository);
    const newer = distsOf({ [path]: tool, 'pool/main/t/tool/tool_2.0_all.deb': 'newer' });
    serve(newer);
    expect((await get('dists/stable/InRelease', { repository })).text).toBe(newer['dists/stable/InRelease']);
    const current = await bytesOf(`${folder}/Packages.gz`, repository);
    expect(packagesIn(gunzipSync(current).toString())).toEqual(['tool 1.0', 'tool 2.0']);
    expect(await bytesOf(`${folder}/by-hash/SHA256/${sha256(before)}`, repository)).toEqual(before);
  });

  it('has an upstream without InRelease, and one without distributions', async () => {
    const { 'dists/stable/InRelease': _, ...old } = site;
    serve({ ...old, ...flat });
    const repository = await remote();
    expect((await get('dists/stable/InRelease', { repository })).status).toBe(404);
    expect((await get('dists/stable/Release.gpg', { repository })).status).toBe(200);
    expect((await bytesOf(`${folder}/Packages`, repository)).toString()).toBe(textOf(site, `${folder}/Packages`));
    expect((await bytesOf('Packages', repository)).toString()).toBe('of a flat one');
    expect(await bytesOf('tool_1.0_all.deb', repository)).toEqual(tool);
  });

  it('has the paths that apt asks for by the line `deb … ./`, each of which is the same file as without a dot', async () => {
    serve({ ...site, ...flat });
    const repository = await remote();
    const paths = [
      'InRelease',
      'Packages',
      'tool_1.0_all.deb',
      'dists/stable/InRelease',
      `${folder}/Packages.gz`,
      path,
    ];
    const answers = await Promise.all(paths.map(async (each) => get(each, { repository })));
    upstream.answer = refusing(500);
    for (const [at, { text }] of answers.entries()) {
      const { status, text: dotted } = await get(`./${paths[at]}`, { repository });
      expect([paths[at], status, dotted]).toEqual([paths[at], 200, text]);
    }
    const fresh = await remote();
    serve({ ...site, ...flat });
    expect(contentIn((await get('./tool_1.0_all.deb', { repository: fresh })).text)).toBe('of the upstream');
    expect(upstream.requests.at(-1)?.url).toBe('/tool_1.0_all.deb');
  });

  it('has a distribution whose name has a slash', async () => {
    const nested = Object.entries(dists).map(([at, content]) => [at.replace('/stable/', '/stable/updates/'), content]);
    serve(Object.fromEntries(nested) as typeof dists);
    const at = folder.replace('/stable/', '/stable/updates/');
    const text = (await bytesOf(`${at}/Packages`, await remote())).toString();
    expect(text).toBe(textOf(site, `${folder}/Packages`));
  });

  it('serves a list by its SHA-512', async () => {
    const packed = Buffer.from(site[`${folder}/Packages.gz`] as Uint8Array);
    const sha512 = createHash('sha512').update(packed).digest('hex');
    const release = `Acquire-By-Hash: yes\n${textOf(site, 'dists/stable/Release')}SHA512:\n ${sha512} ${packed.length} main/binary-amd64/Packages.gz\n`;
    serve({ 'dists/stable/Release': release, [`${folder}/by-hash/SHA512/${sha512}`]: packed });
    expect(await bytesOf(`${folder}/by-hash/SHA512/${sha512}`, await remote())).toEqual(packed);
  });

  it('has the key that the upstream has at the same place', async () => {
    const key = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nof the upstream\n-----END PGP PUBLIC KEY BLOCK-----\n';
    serve({ ...site, 'key.asc': key });
    expect((await bytesOf('key.asc', await remote())).toString()).toBe(key);
  });

  itAnswers('502 UPSTREAM_FAILED for a list with other bytes than its hash says', async () => {
    const at = `${folder}/Packages.gz`;
    serve({ ...site, [at]: gzipSync('of another') });
    const byName = await get(at, { repository: await remote() });
    const hash = hashIn(textOf(hashed, 'dists/stable/Release'), 'main/binary-amd64/Packages.gz');
    serve({ ...unhashed, [at]: gzipSync('of another') });
    const promised = await get(at, { repository: await remote() });
    serve({ ...hashed, [`${folder}/by-hash/SHA256/${hash}`]: gzipSync('of another') });
    return [byName, promised, await get(`${folder}/by-hash/SHA256/${hash}`, { repository: await remote() })];
  });

  itAnswers('404 FILE_NOT_FOUND for a list that no Release names, and for the key of the upstream', async () => {
    serve({ ...site, [`${folder}/Unnamed.gz`]: 'unnamed' });
    const repository = await remote();
    return [
      await get(`${folder}/Unnamed.gz`, { repository }),
      await get(`${folder}/by-hash/SHA256/${'0'.repeat(64)}`, { repository }),
      await get('key.asc', { repository }),
    ];
  });
});

describe('A virtual repository of Debian', () => {
  it('has the packages of all children in lists and a Release of its own, the first child winning for a version', async () => {
    serve(site);
    const child = await local();
    await published({ name: 'own', version: '1.0' }, undefined, { repository: child });
    const repository = await virtualOver([child, await remote(), await remote()]);
    expect((await packages({ repository })).toSorted()).toEqual(['own 1.0', 'tool 1.0']);
    expect(await list({ repository })).toContain(`Filename: ${path}\n`);
    expect(contentIn((await get(path, { repository })).text)).toBe('of the upstream');
    expect((await get(debPath({ name: 'own', version: '1.0' }), { repository })).status).toBe(200);
    expect((await get('dists/stable/InRelease', { repository })).text).toContain('\nOrigin: Stockroom\n');
    await published({ name: 'own', version: '2.0' }, undefined, { repository: child });
    expect(await packages({ repository })).toContain('own 2.0');
  });

  it('has no package of an upstream under a name that a local child holds', async () => {
    serve(site);
    const child = await local();
    await published({ name: 'tool', version: '0.1' }, 'testing/main', { repository: child });
    const repository = await virtualOver([await remote(), child]);
    expect((await get('dists/stable/InRelease', { repository })).code).toBe('FILE_NOT_FOUND');
    expect((await get(path, { repository })).code).toBe('FILE_NOT_FOUND');
  });

  it('has the packages of updates in the component that they update', async () => {
    serve({ ...distsOf({ [path]: tool }, { component: 'updates/main' }), [path]: tool });
    expect(await packages({ repository: await virtualOver([await local(), await remote()]) })).toEqual(['tool 1.0']);
  });

  it('names the lists anew of an upstream that moves the same packages to another component', async () => {
    serve({ ...dists, [path]: tool });
    const source = await remote({ metadataCacheTimeTillRevalidation: 1 });
    const repository = await virtualOver([await local(), source]);
    expect(await packages({ repository })).toEqual(['tool 1.0']);
    serve({ ...distsOf({ [path]: tool }, { component: 'contrib' }), [path]: tool });
    const { text } = await get('dists/stable/InRelease', { repository });
    expect(text).toContain('\nComponents: contrib\n');
    expect(text).not.toContain(' main/');
    expect(await packages({ component: 'contrib', repository })).toEqual(['tool 1.0']);
  });

  it('has the packages of an upstream whose lists are there by their hashes alone, or by zstd alone', async () => {
    serve(hashed);
    expect(await packages({ repository: await virtualOver([await local(), await remote()]) })).toEqual(['tool 1.0']);
    const packed = zstdCompressSync(textOf(site, `${folder}/Packages`));
    const line = ` ${sha256(packed)} ${packed.length} main/binary-amd64/Packages.zst`;
    const release = textOf(site, 'dists/stable/Release').replace(/^ \S+ \d+ main\/binary-amd64\/Packages\.gz$/m, line);
    serve({ 'dists/stable/Release': release, [`${folder}/Packages.zst`]: packed });
    expect(await packages({ repository: await virtualOver([await local(), await remote()]) })).toEqual(['tool 1.0']);
  });

  it('has the packages of an upstream that promises names by hashes, and has its lists by their plain names', async () => {
    serve(unhashed);
    const repository = await virtualOver([await local(), await remote()]);
    expect(await packages({ repository })).toEqual(['tool 1.0']);
  });

  it('leaves out the packages of a component whose name no place has', async () => {
    const odd = distsOf({ [path]: tool }, { component: 'a:b' });
    serve(odd);
    const child = await local();
    await published({ name: 'own', version: '1.0' }, undefined, { repository: child });
    const repository = await virtualOver([child, await remote()]);
    const { text } = await get('dists/stable/InRelease', { repository });
    expect(text).toContain('\nComponents: main\n');
  });

  it('lists packages by plain paths where an upstream has a dot in them', async () => {
    serve({ ...distsOf({ [`./pool/./${path.slice(5)}`]: tool }), [path]: tool });
    const repository = await virtualOver([await local(), await remote()]);
    expect(await packages({ repository })).toEqual(['tool 1.0']);
    expect(await list({ repository })).toContain(`\nFilename: ${path}\n`);
    expect(contentIn((await get(path, { repository })).text)).toBe('of the upstream');
  });

  it('leaves out packages that are elsewhere, or whose names no package has', async () => {
    const others = ['../tool_2.0_all.deb', 'https://elsewhere.example/tool_3.0_all.deb', 'pool/TOOL_4.0_all.deb'];
    serve(distsOf({ [path]: tool, ...Object.fromEntries(others.map((each) => [each, 'other'])) }));
    expect(await packages({ repository: await virtualOver([await local(), await remote()]) })).toEqual(['tool 1.0']);
  });

  it('writes what it has read of an upstream, and has no package that apt could take for one of a local child', async () => {
    const rest = (name: string) =>
      `Version: 9.0\nArchitecture: all\nFilename: pool/main/${name}_9.0_all.deb\nSize: 1\nSHA256: ${'1'.repeat(64)}\n`;
    const unclear = [
      ['Package: odd\nPackage: secret\n'],
      ['Package: secret\nPackage: odd\n'],
      ['package: secret\nPackage: odd\n'],
      ['Package : secret\n'],
      ['Package: odd\n secret\n'],
      ['Package\n: secret\n'],
      [' odd\nPackage: secret\n'],
      ['# odd\nPackage: secret\n'],
      ['\ufeffPackage: odd\n', 'X: secret\n'],
      ['Package: odd\n', 'X: x\rPackage: secret\n'],
      ['Package: odd\n', 'X: x\u0085Package: secret\n'],
      ['Package: odd\n', 'X: x\n \v\nY: secret\n'],
      ['Package: odd\n', 'X: \0secret\n'],
      ['Package: odd\n', `X: secret${'x'.repeat(1_000_000)}\n`],
    ].map(([start, end = '']) => start + rest('odd') + end);
    const two = (name: string, between: string) =>
      `Package: ${name}\n${rest(name)}${between}\nPackage: secret\n${rest('secret')}`;
    const parted = [' ', '\t', '\r', ' \t\r'].map((between, at) => two(`q${at}`, between));
    const known = `Package: known \r\n${rest('known')}X-Unknown: a\r\n b\t\r\nbuilt-using: c\n`;
    const texts = [...unclear, ...parted, two('odd', '\v'), two('odd', '\f'), known];
    serve(distsOf({}, { list: texts.join('\n') }));
    const child = await local();
    await published({ name: 'secret', version: '1.0' }, undefined, { repository: child });
    const repository = await virtualOver([child, await remote()]);
    const expected = ['known 9.0', 'q0 9.0', 'q1 9.0', 'q2 9.0', 'q3 9.0', 'secret 1.0'];
    expect((await packages({ repository })).toSorted()).toEqual(expected);
    const shown = await list({ repository });
    expect(shown).toContain(`Package: known\n${rest('known')}X-Unknown: a\n b\nbuilt-using: c\n\n`);
    expect(shown.match(/secret.*/g)).toEqual(['secret', 'secret_1.0_all.deb']);
  });

  itAnswers('502 UPSTREAM_FAILED while the upstream does not have a list that it names, or has another', async () => {
    const { [`${folder}/Packages.gz`]: _, ...without } = site;
    const answers = [];
    for (const contents of [without, { ...site, [`${folder}/Packages.gz`]: gzipSync('of another') }]) {
      serve(contents);
      const repository = await virtualOver([await local(), await remote()]);
      answers.push(await get('dists/stable/InRelease', { repository }));
    }
    return answers;
  });

  itAnswers('400 LIST_TOO_LONG for an upstream whose lists it cannot read', async () => {
    const release = textOf(site, 'dists/stable/InRelease');
    const packed = release
      .replace('Packages.gz', 'Packages.xz')
      .replace(/^ \w{64} \d+ main\/binary-amd64\/Packages\n/m, '');
    const huge = release.replace(/ \d+ main\/binary-amd64\/Packages$/m, ' 99000000 main/binary-amd64/Packages');
    const answers = [];
    for (const inRelease of [packed, huge]) {
      serve({ ...site, 'dists/stable/InRelease': inRelease });
      const repository = await virtualOver([await local(), await remote()]);
      const answer = await get('dists/stable/InRelease', { repository });
      expect(answer.problem?.detail).toContain('Point the client at');
      answers.push(answer);
    }
    return answers;
  });
});
