import { parsePackumentUpdate, removedVersions } from '../../../functions/npm/packument-update.ts';
import { refusalOf } from '../../harness/format-refusals.ts';

const document = {
  _id: '@acme/web',
  _rev: '7',
  name: '@acme/web',
  'dist-tags': { latest: '2.0.0' },
  versions: {
    '1.0.0': { name: '@acme/web', version: '1.0.0', deprecated: 'Use 2.0.0' },
    '1.1.0': { name: '@acme/web', version: '1.1.0', deprecated: '' },
    '2.0.0': { name: '@acme/web', version: '2.0.0' },
    '2.1.0': { name: '@acme/web', version: '2.1.0', deprecated: false },
  },
};

const versionsOf = (body: Record<string, unknown>) => {
  const update = parsePackumentUpdate(body, '@acme/web');
  if (update.kind !== 'versions') throw new Error('The update is about no versions.');
  return update;
};

describe('a packument that is sent back', () => {
  it('says which versions are deprecated and which no longer are', () => {
    expect([...versionsOf(document).deprecations]).toEqual([
      ['1.0.0', 'Use 2.0.0'],
      ['1.1.0', ''],
    ]);
  });

  it('says which versions are left, and which tags its client changed', () => {
    const update = versionsOf(document);
    expect(update.tags).toEqual([{ tag: 'latest', version: '2.0.0' }]);
    expect(versionsOf({ ...document, _readTags: { latest: '2.0.0' } }).tags).toEqual([]);
    expect(versionsOf({ ...document, _readTags: { latest: '2.1.0', next: '3.0.0' } }).tags).toEqual([
      { tag: 'latest', version: '2.0.0', before: '2.1.0' },
    ]);
    expect(removedVersions(update, ['0.9.0', '1.0.0', '2.0.0', '3.0.0'])).toEqual(['0.9.0', '3.0.0']);
    expect(removedVersions(update, ['2.1.0'])).toEqual([]);
  });

  it('may leave out its tags', () => {
    const update = versionsOf({ versions: {} });
    expect([update.tags, [...update.versions]]).toEqual([[], []]);
  });

  it.each([
    ['stars', { _id: '@acme/web', _rev: '7', users: { robin: true } }],
    ['maintainers', { _id: '@acme/web', _rev: '7', maintainers: [{ name: 'robin' }] }],
  ])('may be about %s', (kind, body) => {
    expect(parsePackumentUpdate(body, '@acme/web')).toEqual({ kind });
  });

  it.each([
    ['nothing to change', {}, ' update'],
    ['a list of versions', { versions: [] }, ' update'],
    ['another package', { ...document, name: 'web' }, '/name name'],
    ['a tag that is a version', { ...document, 'dist-tags': { '1.0.0': '1.0.0' } }, '/dist-tags/1.0.0 tag'],
  ])('is refused with %s', (_, body, violation) => {
    expect(refusalOf(() => parsePackumentUpdate(body, '@acme/web'))).toBe(`invalid: ${violation}`);
  });
});
