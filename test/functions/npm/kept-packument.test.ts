import type { ManifestForm } from '../../../functions/npm/index-entries.ts';
import { packPackument, unpackPackument } from '../../../functions/npm/kept-packument.ts';
import { type PackageIndex, renderPackument } from '../../../functions/npm/packument.ts';
import { parseUpstreamPackument } from '../../../functions/npm/upstream-packument.ts';
import { recordedBytes } from './documents.ts';

const names = ['ms', 'semver', '@types/node'];
const forms: readonly ManifestForm[] = ['full', 'abbreviated'];

const parsed = (name: string, json: Uint8Array = recordedBytes(name.replace('@types/', 'types-'))) =>
  parseUpstreamPackument(json, { name, url: `https://upstream.test/${name}` });

const rendered = (form: ManifestForm, name: string, index: PackageIndex): unknown =>
  JSON.parse(
    renderPackument(form, { ...index, name, revision: '7' }, (version) => `https://ours.test/${version}`).toString(),
  );

describe('A kept packument', () => {
  it.each(names.flatMap((name) => forms.map((form) => [name, form] as const)))(
    'of %s renders the %s form as what the upstream sent does',
    (name, form) => {
      const sent = parsed(name);
      const kept = unpackPackument(packPackument(sent, form));
      expect(rendered(form, name, kept)).toEqual(rendered(form, name, sent));
      for (const { version } of sent.entries) expect(kept.tarballOf(version)).toEqual(sent.tarballs.get(version));
      expect(kept.tarballOf(`${sent.entries[0]?.version}0`)).toBeUndefined();
    },
  );

  it('finds a tarball by the whole version only', () => {
    const versionOf = (path: string) => ({ dist: { tarball: `https://a.test/${path}` } });
    const versions = { '1.0.0-a': versionOf('a'), '1.0.0': versionOf('b'), '11.0.0': {}, '1.0.0-"': versionOf('c') };
    const { tarballOf } = unpackPackument(
      packPackument(parsed('web', Buffer.from(JSON.stringify({ name: 'web', versions }))), 'full'),
    );
    const urls = ['1.0.0', '1.0.0-a', '11.0.0', '1', '', '0.0'].map((version) => tarballOf(version)?.url);
    expect(urls).toEqual(['https://a.test/b', 'https://a.test/a', undefined, undefined, undefined, undefined]);
  });

  it('is taken apart once for all who look at its entries', () => {
    const { entries } = unpackPackument(packPackument(parsed('semver'), 'full'));
    const [one] = entries;
    const [again] = entries;
    expect(one?.version).toBeDefined();
    expect(again).toBe(one);
  });

  it('has one form of each manifest', () => {
    const sent = parsed('semver');
    for (const { parts } of unpackPackument(packPackument(sent, 'full')).entries)
      expect([parts[0] === '', parts[1]]).toEqual([false, '']);
    for (const { parts } of unpackPackument(packPackument(sent, 'abbreviated')).entries)
      expect([parts[0], parts[1] === '']).toEqual(['', false]);
  });

  it('has what an upstream that only knows the abbreviated form sends for the full one', () => {
    const sent = parsed('web', Buffer.from('{"name":"web","versions":{"1.0.0":{"name":"web"}}}'));
    const { versions } = rendered('full', 'web', unpackPackument(packPackument(sent, 'full'))) as { versions: object };
    expect(versions).toEqual({ '1.0.0': { name: 'web', dist: { tarball: 'https://ours.test/1.0.0' } } });
  });

  it('keeps texts whole that hold line ends and control characters', () => {
    const version = { description: 'a\nb\u0001c\u2028', dist: { tarball: 'https://a.test/x' } };
    const time = { '1.0.0': 'one\ntwo\u0001three' };
    const sent = parsed(
      'web',
      Buffer.from(JSON.stringify({ _id: 'web', versions: { '1.0.0': version }, time, readme: '\n\u0001' })),
    );
    expect(rendered('full', 'web', unpackPackument(packPackument(sent, 'full')))).toEqual(
      rendered('full', 'web', sent),
    );
  });

  it('may be of a package without versions', () => {
    const sent = parsed('web', Buffer.from('{"_id":"web","time":{"unpublished":{"name":"robin"}}}'));
    const { entries, head } = unpackPackument(packPackument(sent, 'full'));
    expect([[...entries], head]).toEqual([[], { time: { unpublished: { name: 'robin' } } }]);
  });
});
