import fc from 'fast-check';
import { entryOf, manifestOf, timeOf } from '../../../functions/npm/index-entries.ts';
import {
  mergeEntries,
  type PackageIndex,
  renderForWriting,
  renderPackument,
  renderVersion,
} from '../../../functions/npm/packument.ts';
import type { IndexEntry } from '../../../shared/packages/index/index-entry.ts';
import type { Document } from './documents.ts';

const time = '2026-01-02T03:04:05.678Z';
const addressOf = (version: string): string => `https://stockroom.test/npm/acme/npm/web/-/web-${version}.tgz`;

const entry = (version: string, manifest: Document = {}): IndexEntry =>
  entryOf({ name: 'web', version, ...manifest }, { version, revision: 1, time });

const packument = {
  name: 'web',
  revision: '7',
  tags: { latest: '1.0.0' },
  created: '2026-01-01T00:00:00.000Z',
  modified: time,
};

const rendered = (form: 'full' | 'abbreviated', index: Parameters<typeof renderPackument>[1]): Document =>
  JSON.parse(renderPackument(form, index, addressOf).toString()) as Document;

describe('the entry of a version', () => {
  it('holds the whole manifest but the address of the tarball', () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(values, values, fc.string(), (fields, facts, tarball) => {
        const manifest = { ...fields, dist: { ...facts, tarball } };
        const text = renderVersion(entryOf(manifest, { version: '1.0.0', revision: 1 }), 'https://a.test/"\\漢');
        // What JSON makes of -0 is 0.
        const expected: unknown = JSON.parse(
          JSON.stringify({ ...manifest, dist: { ...facts, tarball: 'https://a.test/"\\漢' } }),
        );
        expect(JSON.parse(text.toString())).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the address to a manifest that has no dist', () => {
    const text = renderVersion(entryOf({ dist: 'none' }, { version: '1.0.0', revision: 1 }), 'https://a.test/');
    expect(JSON.parse(text.toString())).toEqual({ dist: { tarball: 'https://a.test/' } });
  });

  it('gives the manifest and the time back', () => {
    const kept = entry('1.0.0', { deprecated: 'a', dist: { shasum: 'b', tarball: 'c' } });
    expect(manifestOf(kept)).toEqual({
      name: 'web',
      version: '1.0.0',
      deprecated: 'a',
      dist: { shasum: 'b', tarball: '{tarball}' },
    });
    expect([timeOf(kept), timeOf(entryOf({}, { version: '1.0.0', revision: 1 }))]).toEqual([time, undefined]);
    expect(kept).toMatchObject({ version: '1.0.0', revision: 1 });
  });

  it('survives being entered again', () => {
    const kept = entry('1.0.0', { dist: { shasum: 'b' } });
    expect(entryOf(manifestOf(kept), { version: '1.0.0', revision: 1, time })).toEqual(kept);
  });
});

describe('a full packument', () => {
  it('holds every version with its own address', () => {
    const entries = [entry('1.0.0', { dist: { integrity: 'a' } }), entry('1.1.0', { 'x-acme': '{tarball}' })];
    expect(rendered('full', { ...packument, entries })).toEqual({
      _id: 'web',
      _rev: '7',
      name: 'web',
      'dist-tags': { latest: '1.0.0' },
      versions: {
        '1.0.0': { name: 'web', version: '1.0.0', dist: { integrity: 'a', tarball: addressOf('1.0.0') } },
        '1.1.0': { name: 'web', version: '1.1.0', 'x-acme': '{tarball}', dist: { tarball: addressOf('1.1.0') } },
      },
      time: { created: packument.created, modified: time, '1.0.0': time, '1.1.0': time },
    });
  });

  it('shows what the latest version says, unless the package says it', () => {
    const said = {
      author: { name: 'Robin' },
      bugs: { url: 'https://a.test/bugs' },
      contributors: [{ name: 'Kim' }],
      description: 'Web',
      homepage: 'https://a.test',
      keywords: ['web'],
      license: 'MIT',
      maintainers: [{ name: 'robin' }],
      repository: { url: 'https://a.test/web' },
    };
    const entries = [entry('2.0.0', { license: 'Not the latest' }), entry('1.0.0', { ...said, main: 'a' })];
    const head = { readme: '# Web', description: 'Of the package' };
    const shown = rendered('full', { ...packument, entries, head });
    expect(shown).toMatchObject({ ...said, ...head });
    expect(shown).not.toHaveProperty('main');
  });

  it('may hold no version at all', () => {
    const { versions, time: times } = rendered('full', { ...packument, tags: {}, entries: [] });
    expect([versions, times]).toEqual([{}, { created: packument.created, modified: time }]);
  });

  it('shows other times that the package has', () => {
    const head = { time: { '0.9.0': 'long ago', unpublished: { name: 'robin' } } };
    const text = renderPackument('full', { ...packument, entries: [entry('1.0.0')], head }, addressOf).toString();
    const { time: shown } = JSON.parse(text) as Document;
    expect(shown).toEqual({ created: packument.created, modified: time, '1.0.0': time, ...head.time });
    expect(text.split('"time":')).toHaveLength(2);
  });
});

describe('an abbreviated packument', () => {
  it('holds what an installation needs', () => {
    const manifest = { main: 'a', bin: { web: 'b' }, scripts: { install: 'c' }, dist: { shasum: 'd' } };
    const index = { ...packument, entries: [entry('1.0.0', manifest)], head: { readme: '# Web' } };
    expect(rendered('abbreviated', index)).toEqual({
      name: 'web',
      modified: time,
      'dist-tags': { latest: '1.0.0' },
      versions: {
        '1.0.0': {
          name: 'web',
          version: '1.0.0',
          bin: { web: 'b' },
          hasInstallScript: true,
          dist: { shasum: 'd', tarball: addressOf('1.0.0') },
        },
      },
    });
  });
});

describe('every packument', () => {
  const entries: IndexEntry[] = [
    entry('1.0.0', { description: 'é 漢 \ud83d\ude00 \ud800' }),
    { ...entry('1.1.0'), isRemoved: true },
    entry('2.0.0-rc.1', { deprecated: 'a' }),
  ];

  it('leaves out what was removed', () => {
    const versions = ['1.0.0', '2.0.0-rc.1'];
    const index = { ...packument, entries };
    expect(Object.keys(rendered('full', index).versions as object)).toEqual(versions);
    expect(Object.keys(rendered('abbreviated', index).versions as object)).toEqual(versions);
    const writing = JSON.parse(renderForWriting(index, addressOf).toString()) as Document;
    expect(Object.keys(writing.versions as object)).toEqual(versions);
  });

  it('has a latest version', () => {
    const index = { ...packument, entries, tags: { next: '2.0.0-rc.1' } };
    const tags = { latest: '1.0.0', next: '2.0.0-rc.1' };
    expect(rendered('full', index)['dist-tags']).toEqual(tags);
    expect(rendered('abbreviated', index)['dist-tags']).toEqual(tags);
  });

  it('is UTF-8, whatever a manifest holds', () => {
    const { versions } = rendered('full', { ...packument, entries }) as { versions: Record<string, Document> };
    expect(versions['1.0.0']?.description).toBe('é 漢 \ud83d\ude00 \ud800');
  });

  it('that npm sends back holds only what npm changes', () => {
    expect(
      JSON.parse(renderForWriting({ ...packument, entries, head: { readme: 'a' } }, addressOf).toString()),
    ).toEqual({
      _id: 'web',
      _rev: '7',
      _readTags: { latest: '1.0.0' },
      name: 'web',
      'dist-tags': { latest: '1.0.0' },
      versions: {
        '1.0.0': { name: 'web', version: '1.0.0', dist: { tarball: addressOf('1.0.0') } },
        '2.0.0-rc.1': {
          name: 'web',
          version: '2.0.0-rc.1',
          deprecated: 'a',
          dist: { tarball: addressOf('2.0.0-rc.1') },
        },
      },
    });
  });
});

describe('several indexes as one', () => {
  const merged = (children: readonly PackageIndex[]): ReturnType<typeof mergeEntries> => mergeEntries(children);
  const sourceOf = ({ entries }: { entries: IndexEntry[] }): Document =>
    Object.fromEntries(entries.map((kept) => [kept.version, manifestOf(kept).source]));

  it('take each version from the first that has it', () => {
    const first = { entries: [entry('1.0.0', { source: 1 })], tags: {} };
    const second = { entries: [entry('1.0.0', { source: 2 }), entry('1.1.0', { source: 2 })], tags: {} };
    expect(sourceOf(merged([first, second]))).toEqual({ '1.0.0': 1, '1.1.0': 2 });
    expect(sourceOf(merged([second, first]))).toEqual({ '1.0.0': 2, '1.1.0': 2 });
  });

  it('pass over what was removed', () => {
    const first = { entries: [{ ...entry('1.0.0', { source: 1 }), isRemoved: true as const }], tags: {} };
    expect(sourceOf(merged([first, { entries: [entry('1.0.0', { source: 2 })], tags: {} }]))).toEqual({ '1.0.0': 2 });
  });

  it('take each tag, latest too, from the first that has it', () => {
    const children: PackageIndex[] = [
      { entries: [], tags: { next: '1' } },
      { entries: [], tags: { latest: '2', next: '2' } },
      { entries: [], tags: { latest: '3', beta: '3' } },
    ];
    expect(merged(children).tags).toEqual({ latest: '2', next: '1', beta: '3' });
  });

  it('show the head of the one that says what is latest', () => {
    const children: PackageIndex[] = [
      { entries: [], tags: { next: '1' }, head: { readme: 'first' } },
      { entries: [], tags: { latest: '1' }, head: { readme: 'second' } },
    ];
    expect(merged(children).head).toEqual({ readme: 'second' });
    expect(merged(children.slice(0, 1)).head).toEqual({ readme: 'first' });
  });

  it('are as old as the oldest and as new as the newest', () => {
    const children: PackageIndex[] = [
      { entries: [], tags: {}, created: '2025', modified: '2026' },
      { entries: [], tags: {} },
      { entries: [], tags: {}, created: '2024', modified: '2025' },
    ];
    expect(merged(children)).toMatchObject({ created: '2024', modified: '2026' });
  });

  it('may be none', () => {
    expect(merged([])).toEqual({ entries: [], tags: {} });
  });
});
