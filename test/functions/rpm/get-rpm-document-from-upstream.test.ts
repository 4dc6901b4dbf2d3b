import { childOf, parseElement } from '../../../shared/packages/formats/xml.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';
import { namedIn, useRpm } from '../../types/rpm.ts';
import { contentIn, rpmOf, rpmPath } from '../../types/rpm-files.ts';
import { repodataOf, repodataWith, textsOf } from '../../types/rpm-upstreams.ts';

const service = useService();
const upstream = useUpstream();
const { setting, get, published, bytesOf, builds, list } = useRpm(service);

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'rpm', remoteRepositoryUrl: upstream.url, ...fields });

const virtualOver = async (children: readonly Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'rpm' });

const local = async (): Promise<Named> => service.world.repository(setting.workspace, undefined, 'rpm');

/** Lets the upstream serve these contents by path. */
const serve = (contents: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = contents[decodeURIComponent(request.url ?? '').slice(1)];
    const answer = content === undefined ? refusing(404) : serving(content, { ETag: `"${sha256(content)}"` });
    answer(request, response);
  };
};

const tool = rpmOf({ name: 'tool', version: '1.0', content: 'of the upstream' });
const path = 'Packages/t/tool-1.0-1.noarch.rpm';
/** The same path, as a list may have it. */
const dotted = './Packages/./t/tool-1.0-1.noarch.rpm';
const others = { updateinfo: '<updates/>', modules: 'document: modulemd\n' };
const lists = repodataOf({ [path]: tool }, others);
const site = {
  ...lists,
  [path]: tool,
  'repodata/repomd.xml.asc': '-----BEGIN PGP SIGNATURE-----\nof the upstream\n-----END PGP SIGNATURE-----\n',
  'repodata/repomd.xml.key': '-----BEGIN PGP PUBLIC KEY BLOCK-----\n-----END PGP PUBLIC KEY BLOCK-----\n',
};

const primaryPath = `repodata/${namedIn(lists['repodata/repomd.xml'] ?? '', 'primary')}`;

describe('A remote repository of rpm', () => {
  it('passes on all that the upstream has, byte for byte, and keeps it', async () => {
    serve(site);
    const repository = await remote();
    for (const [at, content] of Object.entries(site))
      expect(await bytesOf(at, repository)).toEqual(Buffer.from(content as Uint8Array));
    const count = upstream.requests.length;
    upstream.answer = refusing(500);
    for (const at of Object.keys(site)) await bytesOf(at, repository);
    expect(upstream.requests.length).toBe(count);
  });

  it('has no list of mirrors: what the upstream has is passed on as it is', async () => {
    serve(site);
    const repository = await remote();
    expect((await get('a.repo', { repository })).text).not.toContain('mirrorlist');
    expect((await get('mirrorlist', { repository })).status).toBe(404);
    const virtual = await virtualOver([repository, await local()]);
    expect((await get('a.repo', { repository: virtual })).text).toContain('mirrorlist');
    const { text } = await get('mirrorlist', { repository: virtual });
    const [below = ''] = /_snapshot\/[0-9a-f]{64}\//.exec(text) ?? [];
    expect((await get(`${below}repodata/repomd.xml`, { repository: virtual })).text).toContain('updateinfo');
    expect(contentIn((await get(below + path, { repository: virtual })).text)).toBe('of the upstream');
  });

  it('shows a new revision of the upstream, and keeps the lists of the one before', async () => {
    serve(site);
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    expect(await bytesOf(primaryPath, repository)).toHaveLength(lists[primaryPath]?.length ?? 0);
    const newer = repodataOf({ [path]: tool, 'tool-2.0-1.noarch.rpm': 'newer' });
    serve(newer);
    expect((await get('repodata/repomd.xml', { repository })).text).toBe(newer['repodata/repomd.xml']);
    expect((await get(primaryPath, { repository })).status).toBe(200);
  });

  it('has a package whose list says that it is in ./, at the plain path that clients make of it', async () => {
    serve({ ...repodataOf({ [dotted]: tool }), [path]: tool });
    expect(contentIn((await get(path, { repository: await remote() })).text)).toBe('of the upstream');
  });

  it('has repositories by paths, as the upstream has', async () => {
    const inGroup = repodataOf({ [path]: tool });
    serve({
      ...Object.fromEntries(Object.entries(inGroup).map(([at, text]) => [`9/x86_64/${at}`, text])),
      [`9/x86_64/${path}`]: tool,
    });
    const repository = await remote();
    expect((await get('9/x86_64/repodata/repomd.xml', { repository })).status).toBe(200);
    expect(contentIn((await get(`9/x86_64/${path}`, { repository })).text)).toBe('of the upstream');
  });

  itAnswers(
    '502 UPSTREAM_FAILED for a package, and for a list, with other bytes than the upstream promises',
    async () => {
      serve({
        ...site,
        [path]: rpmOf({ name: 'tool', version: '1.0', content: 'of another' }),
        [primaryPath]: '<metadata/>',
      });
      const repository = await remote();
      const tampered = await get(primaryPath, { repository });
      serve({ ...site, [path]: rpmOf({ name: 'tool', version: '1.0', content: 'of another' }) });
      return [tampered, await get(path, { repository: await remote() })];
    },
  );

  itAnswers('404 FILE_NOT_FOUND for what no list of the upstream names', async () => {
    serve({ ...site, 'Packages/u/unlisted-1-1.noarch.rpm': tool, 'repodata/unlisted.xml': '<x/>' });
    const repository = await remote();
    return [
      await get('Packages/u/unlisted-1-1.noarch.rpm', { repository }),
      await get('repodata/unlisted.xml', { repository }),
    ];
  });
});

describe('A virtual repository of rpm', () => {
  it('has the packages of all children in lists of its own, the first child winning for a version', async () => {
    serve(site);
    const child = await local();
    await published({ name: 'own', version: '1.0' }, '', { repository: child });
    const repository = await virtualOver([child, await remote()]);
    expect((await builds({ repository })).toSorted()).toEqual(['own 0:1.0-1', 'tool 0:1.0-1']);
    expect(await list('filelists', { repository })).toContain('<file>/usr/share/tool</file>');
    expect(contentIn((await get(path, { repository })).text)).toBe('of the upstream');
    expect((await get(rpmPath({ name: 'own', version: '1.0' }), { repository })).status).toBe(200);
    await published({ name: 'own', version: '2.0' }, '', { repository: child });
    expect(await builds({ repository })).toContain('own 0:2.0-1');
  });

  it('has no package of an upstream under a name that a local child holds', async () => {
    serve(site);
    const child = await local();
    await published({ name: 'tool', version: '0.1' }, 'el9', { repository: child });
    const repository = await virtualOver([await remote(), child]);
    expect(await builds({ repository })).toEqual([]);
    expect((await get(path, { repository })).code).toBe('FILE_NOT_FOUND');
  });

  it('lists a package by its plain path where an upstream has a dot in it', async () => {
    serve({ ...repodataOf({ [dotted]: tool, '../tool-2.0-1.noarch.rpm': tool }), [path]: tool });
    const repository = await virtualOver([await local(), await remote()]);
    expect(await builds({ repository })).toEqual(['tool 0:1.0-1']);
    expect(await list('primary', { repository })).toContain(`<location href="${path}"/>`);
    expect(contentIn((await get(path, { repository })).text)).toBe('of the upstream');
  });

  it('has no text of an upstream that clients could take for another package, and none that breaks its lists', async () => {
    const name = '<name>q</name>';
    const secret = '<name>secret</name>';
    const { primary, ...about } = textsOf('q-9.0-1.noarch.rpm', 'q');
    const nested = primary.replace(name, secret);
    const changes: readonly (readonly [string, string])[] = [
      [name, name + secret],
      [name, secret + name],
      [name, `${name}<c:name>secret</c:name>`],
      [name, '<c:name>secret</c:name>'],
      [name, `<!--${name}-->${secret}`],
      [name, '<name>q<!-- --></name>'],
      [name, '<name>&#113;</name>'],
      [name, '<name><![CDATA[q]]></name>'],
      [name, `<x>${name}</x>`],
      [name, '<Name>q</Name>'],
      [name, `${name}<!--`],
      [name, `${name}<![CDATA[`],
      [name, `${name}<?x`],
      [name, `${name}<x a="</package>">`],
      [name, `${name}<x>`],
      [name, `${name}&x;`],
      [name, `${name}<\u0370/>`],
      [name, `${name}<x \u0370=""/>`],
      [name, `${name}<?\u0370?>`],
      ['<package ', '<package \u0370="" '],
      [name, `${name}\0`],
      ['</package>', `${nested}</package>`],
      ['</package>', '<package/></package>'],
      ['</package>', `<x>${nested.replaceAll(/<(\/?)package/g, '<$1c:package')}</x></package>`],
      ['<location ', '<location href="q.rpm"/><location '],
      ['<location ', '<location x:base="https://elsewhere.example/" '],
      ['"q-9.0', '"https&#58;//elsewhere.example/q-9.0'],
      ['<version ', '<version ver="1"/><version '],
      ['<version ', '<version ver="1" '],
      ['<arch>', '<arch>x</arch><arch>'],
      ['<checksum ', '<!--<checksum>aa</checksum>--><checksum '],
    ];
    const odd = changes.map(([from, to]) => ({ primary: primary.replace(from, () => to), ...about }));
    const known = textsOf('known-9.0-1.noarch.rpm', 'known');
    const kept = known.primary.replace('<name>', '<!-- > --><summary>&amp;<![CDATA[<]]></summary><name>');
    const other = known.other.replace('</package>', '<package pkgid="a" name="secret"/></package>');
    const filelists = textsOf('plain-9.0-1.noarch.rpm', 'plain');
    const broken = {
      ...filelists,
      filelists: filelists.filelists.replace('</file>', ''),
      other: filelists.other.replace('name="plain"', 'name="secret"'),
    };
    const commented = `<!-- ${primary.replace(name, secret)} -->`;
    serve(repodataWith([...odd, { ...known, primary: kept, other }, broken, { ...about, primary: commented }]));
    const child = await local();
    await published({ name: 'secret', version: '1.0' }, '', { repository: child });
    const repository = await virtualOver([child, await remote()]);
    expect((await builds({ repository })).toSorted()).toEqual(['known 0:9.0-1', 'plain 0:9.0-1', 'secret 0:1.0-1']);
    expect(await list('primary', { repository })).toContain(kept);
    expect(await list('filelists', { repository })).toContain(known.filelists);
    for (const type of ['primary', 'filelists', 'other'] as const) {
      const root = parseElement((await list(type, { repository })).replace(/^<\?.*\n/, ''));
      const named = root?.elements.map((each) => childOf(each, 'name')?.text ?? each.attributes.name);
      expect(named?.toSorted()).toEqual(['known', 'plain', 'secret']);
    }
    expect((await list('other', { repository })).match(/name="secret"/g)).toHaveLength(1);
  });

  it('names updateinfo and modules of the upstream, and serves them', async () => {
    serve(site);
    const repository = await virtualOver([await local(), await remote()]);
    const repomd = (await bytesOf('repodata/repomd.xml', repository)).toString();
    for (const [type, content] of Object.entries(others)) {
      expect(namedIn(repomd, type)).toBe(`${type}.xml`);
      expect((await bytesOf(`repodata/${type}.xml`, repository)).toString()).toBe(content);
    }
  });

  itAnswers('502 UPSTREAM_FAILED while the upstream does not have a list that it names', async () => {
    serve(site);
    upstream.answer = (
      (answer) => (request, response) =>
        request.url === `/${primaryPath}` ? refusing(404)(request, response) : answer(request, response)
    )(upstream.answer);
    const repository = await virtualOver([await local(), await remote()]);
    return get('repodata/repomd.xml', { repository });
  });

  itAnswers('400 LIST_TOO_LONG for an upstream whose lists it cannot read', async () => {
    const whole = lists['repodata/repomd.xml'] ?? '';
    const changes: readonly (readonly [from: string | RegExp, to: string, why: string])[] = [
      ['-primary.xml"', '-primary.xml.xz"', '-primary.xml.xz has another compression than gzip, zstd or none.'],
      [
        /<open-size>\d+/,
        '<open-size>99000000',
        ' has 99000000 bytes before compression, and may have at most 48000000.',
      ],
      ['type="primary"', 'type="else"', "its repomd.xml names no list 'primary' in its own directory repodata/."],
      [
        'href="repodata/',
        'href="../repodata/',
        "its repomd.xml names no list 'primary' in its own directory repodata/.",
      ],
    ];
    const answers = [];
    for (const [from, to, why] of changes) {
      const repomd = whole.replace(from, to);
      serve({ ...site, 'repodata/repomd.xml': repomd });
      const repository = await virtualOver([await local(), await remote()]);
      const answer = await get('repodata/repomd.xml', { repository });
      expect(answer.problem?.detail).toContain(why);
      expect(answer.problem?.detail).toContain('Point the client at');
      answers.push(answer);
    }
    return answers;
  });
});
