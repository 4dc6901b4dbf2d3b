import fc from 'fast-check';
import { type ManifestForm, manifestOf } from '../../../functions/npm/index-entries.ts';
import { renderPackument } from '../../../functions/npm/packument.ts';
import { parseUpstreamPackument } from '../../../functions/npm/upstream-packument.ts';
import { codePoint } from '../../harness/bytes.ts';
import { refusalOf } from '../../harness/format-refusals.ts';
import { copyOf, type Document, recorded } from './documents.ts';

const url = 'https://upstream.test/npm/web';
const addressOf = (version: string): string => `https://stockroom.test/${version}`;

const parsed = (document: unknown, name = 'web'): ReturnType<typeof parseUpstreamPackument> =>
  parseUpstreamPackument(Buffer.from(JSON.stringify(document)), { name, url });

/** What a client gets of the document of an upstream. */
const served = (document: Document, form: ManifestForm): Document => {
  const name = String(document.name);
  const index = { ...parsed(document, name), name, revision: '7' };
  return JSON.parse(renderPackument(form, index, addressOf).toString()) as Document;
};

type Versions = Record<string, Document & { dist: Document }>;

/** The document with our addresses in place of those of the upstream. */
const withOurAddresses = (document: Document): Document => {
  const copy = copyOf(document);
  for (const [version, manifest] of Object.entries(copy.versions as Versions))
    manifest.dist.tarball = addressOf(version);
  return copy;
};

/** The fields that the upstream left out and a full packument shows of the latest version. */
const shownOfLatest = (document: Document): Document => {
  const { latest = '' } = document['dist-tags'] as Record<string, string>;
  const manifest: Document = (document.versions as Versions)[latest] ?? {};
  const fields = [
    'author',
    'bugs',
    'contributors',
    'description',
    'homepage',
    'keywords',
    'license',
    'maintainers',
    'repository',
  ];
  return Object.fromEntries(fields.filter((field) => field in manifest).map((field) => [field, manifest[field]]));
};

const json = fc.jsonValue({ maxDepth: 3 });
const texts = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string(), { noNullPrototype: true });
const versionNames = fc.oneof(
  fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)).map((numbers) => numbers.join('.')),
  fc.stringMatching(/^\d\.\d\.\d-(alpha|rc)\.\d{1,2}$/),
  fc.constantFrom('1.0.0+build', '0.1', '0.0.1-rc.01', '2.0'),
);
const dists = fc.record(
  {
    tarball: fc.constantFrom(
      'https://upstream.test/npm/web/-/web-1.0.0.tgz',
      'https://files.test/download/@acme/web/1.0.0/0a1b2c',
      'http://other.test:8080/a%20b.tgz?token=1',
    ),
    integrity: fc.string(),
    shasum: fc.string(),
    fileCount: fc.nat(),
    signatures: fc.array(fc.record({ keyid: fc.string(), sig: fc.string() }), { maxLength: 2 }),
    attestations: fc.record({ url: fc.webUrl(), provenance: json }),
    'npm-signature': fc.string(),
  },
  { requiredKeys: ['tarball'], noNullPrototype: true },
);
const manifests = fc
  .record(
    {
      name: fc.constant('web'),
      description: fc.string(),
      deprecated: fc.oneof(fc.string(), fc.boolean()),
      dependencies: texts,
      peerDependenciesMeta: json,
      scripts: texts,
      author: json,
      license: fc.string(),
      dist: dists,
      _npmUser: json,
      'x-acme': json,
      readme: fc.string({ unit: codePoint }),
    },
    { requiredKeys: ['dist'], noNullPrototype: true },
  )
  .map(copyOf);

/** No key of a value is an object that clashes with prototypes. */
const isHarmless = (value: unknown): boolean => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value));

const packuments = fc
  .record({
    versions: fc.dictionary(versionNames, manifests, { maxKeys: 8, noNullPrototype: true }),
    others: fc.record(
      { readme: fc.string(), users: json, maintainers: json, _rev: fc.string(), license: json },
      { requiredKeys: ['_rev'], noNullPrototype: true },
    ),
    gone: fc.constantFrom({}, { '0.0.9': '2011-01-01T00:00:00.000Z' }, { unpublished: { name: 'robin' } }),
    tag: fc.constantFrom('latest', 'next'),
  })
  .map(({ versions, others, gone, tag }): Document => {
    const names = Object.keys(versions);
    const times = Object.fromEntries(
      names.map((version, at) => [version, `2026-01-01T00:00:00.${String(at).padStart(3, '0')}Z`]),
    );
    return copyOf({
      _id: 'web',
      name: 'web',
      'dist-tags': names[0] === undefined ? {} : { latest: names[0], [tag]: names.at(-1) },
      versions: Object.fromEntries(
        Object.entries(versions).map(([version, manifest]) => [version, { ...manifest, version }]),
      ),
      time: { created: '2026-01-01T00:00:00.000Z', modified: '2026-01-02T00:00:00.000Z', ...times, ...gone },
      ...others,
    });
  })
  .filter(isHarmless);

describe('the packument of an upstream', () => {
  it('is served in full as it was, but for addresses', () => {
    fc.assert(
      fc.property(packuments, (document) => {
        expect(served(document, 'full')).toEqual({ ...shownOfLatest(document), ...withOurAddresses(document) });
      }),
      { numRuns: 500 },
    );
  });

  it('that is abbreviated already is served as it was, but for addresses', () => {
    fc.assert(
      fc.property(packuments, ({ name, versions, 'dist-tags': tags }) => {
        const document = { name, versions, 'dist-tags': tags, modified: '2026-01-02T00:00:00.000Z' };
        expect(served(document, 'abbreviated')).toEqual(withOurAddresses(document));
        const { form, entries } = parsed(document);
        expect(form).toBe('abbreviated');
        for (const { parts } of entries) expect(parts[0]).toBe('');
      }),
    );
  });

  it.each(['ms', 'semver', '@types/node'])('%s, as recorded, is served in full as it was', (name) => {
    const document = recorded(name.replace('@types/', 'types-'));
    expect(Object.keys(document.versions as object).length).toBeGreaterThan(30);
    expect(served(document, 'full')).toEqual({ _rev: '7', ...shownOfLatest(document), ...withOurAddresses(document) });
  });

  it('of which nothing but the abbreviated form is known is served as it is known', () => {
    const document = {
      name: 'web',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { 'x-acme': 1, dist: {} } },
    };
    const { versions } = served(document, 'full');
    expect(versions).toEqual({ '1.0.0': { 'x-acme': 1, dist: { tarball: addressOf('1.0.0') } } });
  });

  it('is abbreviated for a client that asks so', () => {
    const document = recorded('semver');
    const { versions, ...rest } = served(document, 'abbreviated') as { versions: Versions };
    const modified = (document.time as Document).modified;
    expect(rest).toEqual({
      name: 'semver',
      'dist-tags': document['dist-tags'],
      ...(modified !== undefined && { modified }),
    });
    const manifest: Document = (document.versions as Versions)['7.5.4'] ?? {};
    const { name, version, bin, engines, dependencies, devDependencies, dist } = manifest;
    expect(versions['7.5.4']).toEqual({
      name,
      version,
      bin,
      engines,
      dependencies,
      devDependencies,
      dist: { ...(dist as Document), tarball: addressOf('7.5.4') },
    });
  });
});

describe('the tarballs of an upstream', () => {
  const tarballsOf = (...addresses: unknown[]): unknown[] => {
    const versions = Object.fromEntries(addresses.map((tarball, at) => [`${at}.0.0`, { dist: { tarball } }]));
    const { tarballs, entries } = parsed({ name: 'web', versions });
    expect(entries).toHaveLength(addresses.length);
    return addresses.map((_, at) => tarballs.get(`${at}.0.0`)?.url);
  };

  it('may be anywhere', () => {
    expect(
      tarballsOf('https://files.test/download/0a1b', 'http://a.test/x?y#z', '/npm/web/-/web-2.0.0.tgz', 'web/-/w.tgz'),
    ).toEqual([
      'https://files.test/download/0a1b',
      'http://a.test/x?y#z',
      'https://upstream.test/npm/web/-/web-2.0.0.tgz',
      'https://upstream.test/npm/web/-/w.tgz',
    ]);
  });

  it('are nowhere without a web address', () => {
    expect(tarballsOf('file:///etc/passwd', 'data:,a', 'http://', 5, null)).toEqual(Array(5).fill(undefined));
  });

  it('come with what the upstream promises of them', () => {
    const dist = { tarball: 'https://a.test/', integrity: 'sha512-a', shasum: 'b', size: 5, fileCount: 2 };
    const { tarballs } = parsed({
      versions: { '1.0.0': { dist }, '2.0.0': { dist: { ...dist, size: -0.5, shasum: 5 } } },
    });
    expect(tarballs.get('1.0.0')).toEqual({ url: 'https://a.test/', integrity: 'sha512-a', shasum: 'b', size: 5 });
    expect(tarballs.get('2.0.0')).toEqual({ url: 'https://a.test/', integrity: 'sha512-a' });
  });
});

describe('the document of an upstream', () => {
  it('loses versions that no path can name', () => {
    const versions = {
      '1.0.0': {},
      '1/0': {},
      '..\\1': {},
      '1.0.0-\ud800': {},
      ['1'.repeat(255)]: {},
      '2.0.0': 'none',
    };
    expect(parsed({ versions }).entries.map(({ version }) => version)).toEqual(['1.0.0']);
  });

  it('has the name of the package in each version, whatever name of another it gives', () => {
    const versions = {
      '1.0.0': { name: '@acme/secret' },
      '1.0.1': { name: ['secret'] },
      '1.0.2': { name: '@acme/web' },
    };
    const { entries } = parsed({ name: '@acme/web', versions }, '@acme/web');
    const names = (['full', 'abbreviated'] as const).map((form) =>
      [...entries].map((entry) => manifestOf(entry, form).name),
    );
    expect(names.flat()).toEqual(Array.from({ length: 6 }, () => '@acme/web'));
  });

  it('may be of a package that was unpublished', () => {
    const { entries, tags, head, form } = parsed({ _id: 'web', name: 'web', time: { unpublished: { name: 'robin' } } });
    expect([entries, tags, head, form]).toEqual([[], {}, { time: { unpublished: { name: 'robin' } } }, 'full']);
  });

  it('has a head without what its versions and tags say', () => {
    const time = { created: 'a', modified: 'b', '1.0.0': 'c', '0.9.0': 'd', '2.0.0': { odd: true } };
    const versions = { '1.0.0': {}, '2.0.0': {} };
    const document = { _id: 'web', _rev: '7', name: 'web', readme: '# Web', 'dist-tags': {}, versions, time };
    const { head, created, modified } = parsed(document);
    expect(head).toEqual({ _rev: '7', readme: '# Web', time: { '0.9.0': 'd', '2.0.0': { odd: true } } });
    expect([created, modified]).toEqual(['a', 'b']);
    expect(served(document, 'full').time).toEqual(time);
  });

  it('may hold bytes that are no UTF-8', () => {
    const bytes = Buffer.from('{"name":"web","versions":{"1.0.0":{"description":"\xff"}}}', 'latin1');
    expect(parseUpstreamPackument(bytes, { name: 'web', url }).entries).toHaveLength(1);
  });

  it.each([
    ['no JSON', Buffer.from('<html>'), 'The packument of the upstream is not well-formed JSON.'],
    ['a list', Buffer.from('[]'), 'The packument of the upstream must be one JSON object.'],
    ['another package', Buffer.from('{"name":"Web"}'), "The upstream answers with another package than 'web'."],
    ['a list of versions', Buffer.from('{"versions":[]}'), 'The versions of the upstream are no object.'],
    ['too much', Buffer.alloc(64 * 1024 * 1024 + 1), 'The packument of the upstream has more than 67108864 bytes.'],
  ])('is refused when it is %s', (_, bytes, sentence) => {
    expect(refusalOf(() => parseUpstreamPackument(bytes, { name: 'web', url }))).toBe(`malformed: ${sentence}`);
  });
});
