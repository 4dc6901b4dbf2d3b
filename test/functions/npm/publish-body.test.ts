import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { isPublication, parsePublish } from '../../../functions/npm/publish-body.ts';
import { parseObject } from '../../../shared/packages/formats/json-objects.ts';
import { refusalOf } from '../../harness/format-refusals.ts';
import { attachmentsOf, publishBody, recorded, recordedBytes } from './documents.ts';

const bytes = Buffer.from('the bytes of a tarball');
type Body = ReturnType<typeof publishBody>;

/** What a publish is refused with after a change of its body. */
const refusal = (change: (body: Body) => unknown, name = '@acme/web', version = '1.0.0'): string => {
  const body = publishBody(bytes, { name, version });
  change(body);
  return refusalOf(() => parsePublish(body, name));
};

const manifestOf = (body: Body): Record<string, unknown> => body.versions['1.0.0'] ?? {};
const distOf = (body: Body): Record<string, unknown> => manifestOf(body).dist as Record<string, unknown>;
const attachmentOf = (body: Body): Record<string, unknown> => Object.values(attachmentsOf(body))[0] ?? {};

describe('a publish', () => {
  it('of npm 11 is understood', () => {
    const body = parseObject(recordedBytes('publish-scoped'), 'The body');
    const { manifest, tags, head, tarball, ...rest } = parsePublish(body, '@acme/web');
    const sent = (recorded('publish-scoped').versions as Record<string, Record<string, unknown>>)['1.0.0'];
    const { readme, readmeFilename, ...expected } = sent ?? {};
    expect(manifest).toEqual(expected);
    expect(head).toEqual({ readme, readmeFilename });
    expect(readme).toBe('# Web of Acme — 漢\n');
    expect([tags, tarball.length, rest]).toEqual([['latest'], 459, {}]);
    expect(isPublication(body)).toBe(true);
  });

  it('keeps fields that nobody knows', () => {
    const body = publishBody(bytes);
    Object.assign(manifestOf(body), { 'x-acme': { deep: [1, { a: null }] }, constructor: 'a' });
    expect(parsePublish(body, '@acme/web').manifest).toMatchObject({
      'x-acme': { deep: [1, { a: null }] },
      constructor: 'a',
    });
  });

  it('gives back every byte of the tarball', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (content) => {
        const { tarball } = parsePublish(publishBody(Buffer.from(content)), '@acme/web');
        expect(tarball.equals(content)).toBe(true);
      }),
    );
  });

  it('gets the hashes that the client left out', () => {
    const body = publishBody(bytes);
    const { integrity, shasum } = distOf(body);
    manifestOf(body).dist = undefined;
    expect(parsePublish(body, '@acme/web').manifest.dist).toEqual({ integrity, shasum });
  });

  it('has its version written as npm writes it', () => {
    const body = publishBody(bytes, { version: 'v1.2.3+build.7' });
    expect(parsePublish(body, '@acme/web').manifest.version).toBe('1.2.3');
  });

  it('moves several tags or none', () => {
    const body = publishBody(bytes);
    Object.assign(body['dist-tags'] as object, { next: '1.0.0' });
    expect(parsePublish(body, '@acme/web').tags).toEqual(['latest', 'next']);
    expect(parsePublish({ ...body, 'dist-tags': undefined }, '@acme/web').tags).toEqual([]);
  });

  it('brings a sigstore bundle as a second file', () => {
    const body = publishBody(bytes);
    const data = JSON.stringify({ mediaType: 'é' });
    attachmentsOf(body)['@acme/web-1.0.0.sigstore'] = { data, length: data.length };
    expect(parsePublish(body, '@acme/web').provenance).toEqual(Buffer.from(data));
  });

  it.each([
    ['the name of another package', (body) => Object.assign(body, { name: 'web' }), '/name name'],
    ['the ID of another package', (body) => Object.assign(body, { _id: '@acme/web2' }), '/_id name'],
    ['no versions', (body) => Object.assign(body, { versions: {} }), '/versions single'],
    ['a list of versions', (body) => Object.assign(body, { versions: [] }), '/versions single'],
    ['two versions', (body) => Object.assign(body.versions, { '2.0.0': {} }), '/versions single'],
    ['a version that is no manifest', (body) => Object.assign(body.versions, { '1.0.0': null }), '/versions single'],
    [
      'another version in the manifest',
      (body) => Object.assign(manifestOf(body), { version: '1.0.1' }),
      '/versions/1.0.0/version version',
    ],
    [
      'another name in the manifest',
      (body) => Object.assign(manifestOf(body), { name: 'web' }),
      '/versions/1.0.0/name name',
    ],
    [
      'a tag that is a version',
      (body) => Object.assign(body, { 'dist-tags': { '1.0.0': '1.0.0' } }),
      '/dist-tags/1.0.0 tag',
    ],
    [
      'a tag with a slash',
      (body) => Object.assign(body, { 'dist-tags': { 'a/~b': '1.0.0' } }),
      '/dist-tags/a~1~0b tag',
    ],
    [
      'a tag on another version',
      (body) => Object.assign(body, { 'dist-tags': { a: '0.9.0' } }),
      '/dist-tags/a version',
    ],
    ['no attachment', (body) => Object.assign(body, { _attachments: {} }), '/_attachments files'],
    [
      'two tarballs',
      (body) => Object.assign(attachmentsOf(body), { 'x.tgz': attachmentOf(body) }),
      '/_attachments files',
    ],
    [
      'another kind of file',
      (body) => Object.assign(attachmentsOf(body), { 'x.exe': attachmentOf(body) }),
      '/_attachments files',
    ],
    [
      'two bundles',
      (body) =>
        Object.assign(attachmentsOf(body), { 'x.sigstore': attachmentOf(body), 'y.sigstore': attachmentOf(body) }),
      '/_attachments files',
    ],
    [
      'another length',
      (body) => Object.assign(attachmentOf(body), { length: 1 }),
      '/_attachments/@acme~1web-1.0.0.tgz/length length',
    ],
    [
      'no data',
      (body) => Object.assign(attachmentOf(body), { data: undefined }),
      '/_attachments/@acme~1web-1.0.0.tgz/data base64',
    ],
    [
      'no bytes',
      (body) => Object.assign(attachmentOf(body), { data: '', length: 0 }),
      '/_attachments/@acme~1web-1.0.0.tgz/data base64',
    ],
    [
      'data that is no base64',
      (body) => Object.assign(attachmentOf(body), { data: `${String(attachmentOf(body).data).slice(0, -4)}YW*=` }),
      '/_attachments/@acme~1web-1.0.0.tgz/data base64',
    ],
    [
      'base64 that was cut',
      (body) => Object.assign(attachmentOf(body), { data: 'YWJ', length: undefined }),
      '/_attachments/@acme~1web-1.0.0.tgz/data base64',
    ],
    [
      'a bundle that is no JSON',
      (body) => Object.assign(attachmentsOf(body), { 'x.sigstore': { data: '{' } }),
      '/_attachments/x.sigstore/data json',
    ],
    [
      'a bundle of another length',
      (body) => Object.assign(attachmentsOf(body), { 'x.sigstore': { data: '{}', length: 3 } }),
      '/_attachments/x.sigstore/length length',
    ],
    [
      'another SHA-512',
      (body) => Object.assign(distOf(body), { integrity: `sha512-${'A'.repeat(86)}==` }),
      '/versions/1.0.0/dist/integrity hash',
    ],
    [
      'a right SHA-512 beside a wrong SHA-256',
      (body) =>
        Object.assign(distOf(body), { integrity: `${String(distOf(body).integrity)} sha256-${'A'.repeat(43)}=` }),
      '/versions/1.0.0/dist/integrity hash',
    ],
    [
      'an integrity of no known algorithm',
      (body) => Object.assign(distOf(body), { integrity: 'md5-AAAA' }),
      '/versions/1.0.0/dist/integrity hash',
    ],
    [
      'another shasum',
      (body) => Object.assign(distOf(body), { shasum: '0'.repeat(40) }),
      '/versions/1.0.0/dist/shasum hash',
    ],
    [
      'a shasum that is none',
      (body) => Object.assign(distOf(body), { shasum: 'a' }),
      '/versions/1.0.0/dist/shasum hash',
    ],
  ] satisfies [string, (body: Body) => unknown, string][])('is refused with %s', (_, change, violation) => {
    expect(refusal(change)).toBe(`invalid: ${violation}`);
  });

  it.each(['1.0', 'latest', '1.0.0/..', ' '])('is refused with the version %j', (version) => {
    expect(refusal(() => undefined, '@acme/web', version)).toMatch(/^invalid: \/versions\/.* semver/);
  });

  it('is refused under a name that no new package may have', () => {
    expect(refusal(() => undefined, 'Web')).toBe('invalid: /name name');
    expect(refusal(() => undefined, 'node_modules')).toBe('invalid: /name name');
  });

  it('is refused when no path could name its tarball', () => {
    const refused = refusal(() => undefined, 'w'.repeat(214), `1.0.0-${'a'.repeat(40)}`);
    expect(refused).toMatch(/^invalid: \/versions\/1\.0\.0-a+ length$/);
  });

  it('is refused with a sentence for each rule that it breaks', () => {
    const body = { ...publishBody(bytes), _id: 'web', 'dist-tags': { '^1': '2.0.0' }, _attachments: {} };
    const refused = refusalOf(() => parsePublish(body, '@acme/web'));
    expect(refused).toBe('invalid: /_id name, /dist-tags/^1 tag, /dist-tags/^1 version, /_attachments files');
  });

  it.each([
    ['nothing', {}],
    ['a list', { _attachments: [] }],
    ['an empty object', { _attachments: {} }],
  ])('is no publish with %s attached', (_, body) => {
    expect(isPublication(body)).toBe(false);
  });
});

describe('the readme of a publish', () => {
  const readmeOf = (readme: unknown): unknown => {
    const body = publishBody(bytes);
    Object.assign(manifestOf(body), { readme });
    const { head, manifest } = parsePublish(body, '@acme/web');
    expect(manifest).not.toHaveProperty('readme');
    return head.readme;
  };

  it('is cut after 64 kB, between two characters', () => {
    expect(readmeOf('a'.repeat(65_536))).toBe('a'.repeat(65_536));
    expect(readmeOf('a'.repeat(65_537))).toBe('a'.repeat(65_536));
    expect(readmeOf(`a${'漢'.repeat(30_000)}`)).toBe(`a${'漢'.repeat(21_845)}`);
    expect(readmeOf(`aa${'漢'.repeat(30_000)}`)).toBe(`aa${'漢'.repeat(21_844)}`);
  });

  it('is missing when there is none', () => {
    expect(readmeOf('ERROR: No README data found!')).toBeUndefined();
    expect(readmeOf(5)).toBeUndefined();
  });

  it('may stand beside the versions, as old clients send it', () => {
    const body = { ...publishBody(bytes), readme: '# Web', readmeFilename: 'README.md' };
    expect(parsePublish(body, '@acme/web').head).toEqual({ readme: '# Web', readmeFilename: 'README.md' });
  });
});

describe('the hashes of a publish', () => {
  it('are compared for every algorithm that it lists', () => {
    for (const algorithm of ['sha1', 'sha256', 'sha384', 'sha512']) {
      const integrity = `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
      expect(refusal((body) => Object.assign(distOf(body), { integrity }))).toBe('accepted');
      const other = `${algorithm}-${createHash(algorithm).update('other').digest('base64')}`;
      expect(refusal((body) => Object.assign(distOf(body), { integrity: other }))).toMatch(/hash$/);
    }
  });
});
