import { parsePage, upstreamPage } from '../../../functions/pypi/upstream-pages.ts';
import { cpuMilliseconds } from '../../harness/growth.ts';

const at = { name: 'foo', url: 'https://up.example/root/simple/foo/' };
const filesOf = (html: string) => parsePage(Buffer.from(html), at).files;

describe('A page of an upstream in HTML', () => {
  it('may be as indexes of old have written it', () => {
    const files = filesOf(`
      <HTML><head><base href="https://files.example/a/"></head><body><h1>Links</h1>
      <A HREF='foo-1.0.tar.gz#md5=ABCDEF' rel="internal">foo-1.0.tar.gz</A>
      <a href="../b/foo%2B1-1.1%2Blocal.zip" data-requires-python="&lt;4,&gt;=3" data-yanked>x
      <a data-gpg-sig="true" href=https://other.example/foo-1.2.zip?token=1#sha256=00aa>foo</a>
      <a href="http://foo.example/" rel="homepage">home page</a> <a>nothing</a> <a href="mailto:a@b.zip">mail</a>
      <a href="javascript:alert(1).zip">no</a> <a href="ftp://foo.example/foo-1.3.zip">no</a>
      <a href="..">Parent</a> <a href="%ff.zip">x</a>
      <!-- <a href="foo-9.9.zip">foo-9.9.zip</a> -->
    `);
    expect(files).toEqual([
      { filename: 'foo-1.0.tar.gz', url: 'https://files.example/a/foo-1.0.tar.gz', hashes: { md5: 'abcdef' } },
      {
        filename: 'foo+1-1.1+local.zip',
        url: 'https://files.example/b/foo%2B1-1.1%2Blocal.zip',
        hashes: {},
        'requires-python': '<4,>=3',
        yanked: true,
      },
      {
        filename: 'foo-1.2.zip',
        url: 'https://other.example/foo-1.2.zip?token=1',
        hashes: { sha256: '00aa' },
        'gpg-sig': true,
      },
    ]);
  });

  it('says by both names of the attribute that a wheel has METADATA', () => {
    const wheel = (attribute: string) => filesOf(`<a href="foo-1.0-py3-none-any.whl" ${attribute}></a>`)[0];
    expect(wheel('data-dist-info-metadata="sha256=AB"')?.['core-metadata']).toEqual({ sha256: 'ab' });
    expect(wheel('data-core-metadata="true"')?.['core-metadata']).toBe(true);
    expect(wheel('data-provenance="/p"')?.provenance).toBe('https://up.example/p');
  });

  it('has the members of its head', () => {
    const { head } = parsePage(
      Buffer.from(
        '<meta name="pypi:repository-version" content="1.4"><meta name="pypi:tracks" content="https://a.example/foo/"><meta name="pypi:project-status" content="archived"><meta name="pypi:project-status-reason" content="old">',
      ),
      at,
    );
    expect(head).toEqual({
      meta: { 'api-version': '1.4', tracks: ['https://a.example/foo/'] },
      'project-status': { status: 'archived', reason: 'old' },
    });
  });
});

describe('A page of an upstream in JSON', () => {
  const page = (fields: object): Buffer => Buffer.from(JSON.stringify({ meta: { 'api-version': '1.0' }, ...fields }));

  it('has only files that can be downloaded', () => {
    const file = (filename: unknown, url: unknown) => ({ filename, url, hashes: {} });
    const files = [
      file('foo-1.0.zip', '../../x/foo-1.0.zip#fragment'),
      file('../foo-1.1.zip', 'https://up.example/x'),
      file('a/foo-1.1.zip', 'https://up.example/x'),
      file('foo#1.zip', 'https://up.example/x'),
      file('foo-1.2.zip', 'file:///etc/passwd'),
      file('foo-1.3.zip', 7),
      file(7, 'https://up.example/x'),
      'none',
    ];
    expect(parsePage(page({ files }), at).files).toEqual([
      { filename: 'foo-1.0.zip', url: 'https://up.example/root/x/foo-1.0.zip', hashes: {} },
    ]);
  });

  it.each([
    [{ files: [], name: 'bar' }, 'another project'],
    [{ files: {} }, 'no files'],
    [{ files: [], meta: { 'api-version': '2.0' } }, 'another version'],
    [{ files: [], meta: {} }, 'another version'],
  ])('is refused as %j', (fields, words) => {
    expect(() => parsePage(page(fields), at)).toThrow(words);
  });

  it('says that each wheel has METADATA, if the repository stores wheels, and no other file', () => {
    const source = { remoteRepositoryUrl: 'https://up.example/root', isRemoteCacheEnabled: true };
    const { condense, parse } = upstreamPage(source, 'foo');
    const sent = page({
      files: [
        { filename: 'foo-1.0-py3-none-any.whl', url: '/a', 'core-metadata': { sha256: 'aa' } },
        { filename: 'foo-1.1-py3-none-any.whl', url: '/b', 'dist-info-metadata': false },
        { filename: 'foo-1.1.zip', url: '/c' },
      ],
    });
    const { files, withMetadataHere } = parse(
      condense?.(sent, { headers: {}, url: new URL(at.url) }) ?? Buffer.alloc(0),
    );
    expect([files, [...(withMetadataHere ?? [])]]).toMatchObject([
      [{ 'core-metadata': { sha256: 'aa' } }, { 'core-metadata': true, 'dist-info-metadata': true }, {}],
      ['foo-1.1-py3-none-any.whl'],
    ]);
    expect(files[2]).not.toHaveProperty('core-metadata');
  });

  it('is the same after it was kept', () => {
    const { condense, parse } = upstreamPage(
      { remoteRepositoryUrl: 'https://up.example/root', isRemoteCacheEnabled: false },
      'foo',
    );
    const sent = page({ files: [{ filename: 'foo-1.0.zip', url: '/a', yanked: 'why' }], versions: ['1.0'], other: 1 });
    const kept = condense?.(sent, { headers: {}, url: new URL(at.url) }) ?? Buffer.alloc(0);
    expect(parse(kept)).toEqual(parsePage(sent, at));
  });
});

describe('A hostile page of an upstream', () => {
  it.each(['<a "', '<a href="', "<a '>", '<!--', '<a =', '<script>', '<a href=&#', '<', '</a', '<a\n/'])(
    'of nothing but %j is read in a moment',
    (piece) => {
      const page = piece.repeat(1_000_000 / piece.length);
      const before = cpuMilliseconds();
      expect(filesOf(page)).toEqual([]);
      expect(cpuMilliseconds() - before).toBeLessThan(3_000);
    },
  );

  it('has no files in comments, scripts and tags that do not end', () => {
    const link = '<a href="foo-1.0.zip">';
    expect(filesOf(`<!-- ${link}`)).toEqual([]);
    expect(filesOf(`<script>"${link}"</script>`)).toEqual([]);
    expect(filesOf(`<title>${link}`)).toEqual([]);
    expect(filesOf('<a href="foo-1.0.zip"')).toEqual([]);
    expect(filesOf(`<!-- --><script></SCRIPT >${link}`)).toHaveLength(1);
  });

  it.each([
    ['foo-1.0.zip?a=1&amp;b=2', 'foo-1.0.zip?a=1&b=2'],
    ['foo-1.0.zip?a=1&b=2', 'foo-1.0.zip?a=1&b=2'],
    ['foo-1.0.zip?a&ampb=2', 'foo-1.0.zip?a&ampb=2'],
    ['foo-1.0.zip?&#97;&#x62;&#0;&#xd800;', 'foo-1.0.zip?ab%EF%BF%BD%EF%BF%BD'],
    ['foo-1.0.zip?&unknown;', 'foo-1.0.zip?&unknown;'],
  ])('has the address %s as %s', (href, address) => {
    expect(filesOf(`<a href="${href}">`)[0]?.url).toBe(`https://up.example/root/simple/foo/${address}`);
  });
});
