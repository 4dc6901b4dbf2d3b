import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { readIndexDocument } from '../../../functions/helm/index-pieces.ts';
import { renderIndex } from '../../../functions/helm/rendering.ts';
import { packIndex, unpackIndex } from '../../../functions/helm/upstream-index.ts';
import { without } from '../../../shared/packages/formats/json-objects.ts';
import { refusalOf } from '../../harness/format-refusals.ts';
import type { HelmIndex } from '../../harness/helm.ts';

/** Indexes that were recorded from public repositories. They are test data of helm 2.17.0 and 3.22.0. */
const recorded = (file: string): Buffer =>
  gunzipSync(readFileSync(join(import.meta.dirname, '../../fixtures/helm', `${file}.gz`)));

const base = 'https://charts.example/stable';

const kept = (text: string | Buffer, url = base) => unpackIndex(packIndex(Buffer.from(text), url));

const rendered = (text: string | Buffer) => JSON.parse(renderIndex(kept(text), '/').toString()) as HelmIndex;

type Entry = Readonly<Record<string, unknown>> & { readonly version: string };

const byVersion = (entries: readonly Entry[]): Entry[] =>
  entries.toSorted((one, other) => (one.version < other.version ? -1 : 1));

/** The charts of a document as a parser of YAML reads all of it at once. */
const chartsOf = (text: Buffer): Record<string, Entry[]> =>
  (load(text.toString()) as { entries: Record<string, Entry[]> }).entries;

describe('The index of an upstream', () => {
  it.each([
    ['stable-index.yaml', 68, 388],
    ['local-index.json', 3, 4],
    ['chartmuseum-index.yaml', 3, 4],
  ])('%s is equal before and after, but for its addresses', (file, charts, versions) => {
    const sent = recorded(file);
    const { entries } = rendered(sent);
    const expected = chartsOf(sent);
    expect([Object.keys(entries).length, Object.values(entries).flat().length]).toEqual([charts, versions]);
    expect(Object.keys(entries)).toEqual(Object.keys(expected).toSorted());
    for (const [name, found] of Object.entries(expected)) {
      const [ours, theirs] = [byVersion(entries[name] ?? []), byVersion(found)];
      expect(ours.map(({ urls }) => urls)).toEqual(
        theirs.map(({ version, urls }) => (urls ? [`charts/${name}-${version}.tgz`] : undefined)),
      );
      const withoutUrls = (entry: Entry): object => without(entry, 'urls');
      // What helm takes for a text is one: `appVersion: 1.2` is a number in YAML.
      const textual = ({ appVersion, ...others }: Entry): Entry =>
        appVersion === undefined ? others : { ...others, appVersion: `${appVersion as string | number}` };
      expect(ours.map(withoutUrls)).toEqual(theirs.map((each) => withoutUrls(textual(each))));
    }
  });

  it('has the addresses and hashes of the files, of any host and relative ones', () => {
    const { files } = kept(recorded('stable-index.yaml'));
    expect(files.get('aws-cluster-autoscaler 0.2.1')).toEqual({
      url: 'https://charts.helm.sh/stable/aws-cluster-autoscaler-0.2.1.tgz',
      sha256: '291eaabbf54913e71cda39d42a6e9c4c493a3672a5b0b5183ea1991a76d6c317',
    });
    const of = (url: string, repository = base) =>
      kept(`apiVersion: v1\nentries:\n  a:\n  - {name: a, version: 1.0.0, urls: ['${url}']}`, repository).files.get(
        'a 1.0.0',
      )?.url;
    expect([
      of('charts/a.tgz'),
      of('/a.tgz'),
      of('a.tgz', `${base}/?key=1`),
      of('https://else.example/a.tgz?b', `${base}?key=1`),
      of('oci://else.example/a'),
      of('javascript:alert(1)'),
    ]).toEqual([
      `${base}/charts/a.tgz`,
      'https://charts.example/a.tgz',
      `${base}/a.tgz?key=1`,
      'https://else.example/a.tgz?b',
      undefined,
      undefined,
    ]);
  });

  it('has no address or version that helm alone takes for one, in another case or with a letter that Go folds', () => {
    const entry = { name: 'a', version: '1.0.0', urls: ['a.tgz'] };
    const elsewhere = ['https://elsewhere.example/a.tgz'];
    const others = [
      { URLs: elsewhere, ...entry },
      { ...entry, URLs: elsewhere },
      { ...entry, 'url\u017f': elsewhere },
      { name: 'a', version: '1.0.0', 'url\u017f': elsewhere },
      { ...entry, Version: '9.9.9' },
      { ...entry, '\u212aeywords': [], keywords: [] },
    ];
    const versionsOf = (entries: readonly object[]) =>
      (rendered(JSON.stringify({ apiVersion: 'v1', entries: { a: entries } })).entries.a ?? []).map(
        ({ version }) => version,
      );
    expect(others.map((other) => versionsOf([other]))).toEqual(others.map(() => []));
    const { urls, ...rest } = entry;
    expect(versionsOf([{ ...rest, URLs: urls, '\u212aeywords': [] }])).toEqual(['1.0.0']);
  });

  it('is cut into its charts whatever stands between them, and means what a parser of all of it reads', () => {
    const text = `# a comment
apiVersion: v1
annotations:
  entries: none
entries: # of all
    one:
    - name: one
      version: 1.0.0
      description: |
        entries:
        two:

          - not an item
# a comment at the margin

    - version: 1.1.0
      name: one
      description: "a text
        over lines: #1"
    "two":
      - {name: two, version: 2.0.0}
    three: []
generated: "2024-01-01T00:00:00Z"
`;
    for (const variant of [text, text.replaceAll('\n', '\r\n'), text.trimEnd(), `---\n${text}`]) {
      const { head, charts } = readIndexDocument(Buffer.from(variant));
      expect(Object.fromEntries(charts())).toEqual(chartsOf(Buffer.from(variant)));
      expect([head.generated, head.annotations]).toEqual(['2024-01-01T00:00:00Z', { entries: 'none' }]);
    }
    const flat =
      'apiVersion: v1\nentries:\n  a:\n  - name: a\n    version: 1.0.0\n  b:\n  - name: b\n    version: 1.0.0';
    expect(Object.keys(rendered(flat).entries)).toEqual(['a', 'b']);
    expect(rendered('apiVersion: v1\nentries: {a: [{name: a, version: 1.0.0}]}').entries.a).toHaveLength(1);
    expect(rendered('apiVersion: v1\nentries: {}').entries).toEqual({});
    expect(rendered('apiVersion: v1\nentries:\n').entries).toEqual({});
  });

  it('leaves out what would make helm refuse all of it, and what no path can name', () => {
    const entry = (fields: string) => `  - {name: a, ${fields}}`;
    const text = [
      'apiVersion: v1',
      'entries:',
      '  a:',
      entry('version: 1.0.0, created: yesterday'),
      entry('version: 1.0.1, keywords: one'),
      entry('version: 1.0.2, annotations: {a: [1]}'),
      entry('version: no version'),
      entry('version: 1.0.3, created: "2024-01-01T00:00:00.123456789+02:00", deprecated: true'),
      entry('version: 1.0.3'),
      '  - null',
      '  - {name: b, version: 1.0.0}',
      '  b/c:',
      '  - {name: b/c, version: 1.0.0}',
    ];
    const { entries } = rendered(text.join('\n'));
    expect(Object.entries(entries).map(([name, versions]) => [name, versions.map(({ version }) => version)])).toEqual([
      ['a', ['1.0.3']],
    ]);
    expect(entries.a?.[0]).toMatchObject({ created: '2024-01-01T00:00:00.123456789+02:00', deprecated: true });
  });

  it.each([
    ['', 'malformed'],
    ['a text', 'malformed'],
    ['- a list', 'malformed'],
    ['other: 1', 'malformed'],
    ['{"entries":', 'malformed'],
    ['apiVersion: v1\nentries:\n  a: &x []\n  b: *x', 'malformed'],
    [`apiVersion: ${'['.repeat(100)}`, 'malformed'],
    ['apiVersion: !!js/function "x"', 'malformed'],
  ])('is refused: %j', (text, code) => {
    expect(refusalOf(() => kept(text))).toMatch(new RegExp(`^${code}: The index of the upstream`));
  });
});
