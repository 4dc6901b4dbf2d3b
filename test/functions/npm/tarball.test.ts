import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { readTarball, type TarballContent } from '../../../functions/npm/tarball.ts';
import { describeRefusal } from '../../harness/format-refusals.ts';
import { attachmentsOf, type Entry, recorded, tarballOf, tarOf } from './documents.ts';

const manifest = { name: '@acme/web', version: '1.0.0', main: 'index.js', 'x-acme': { a: [1] } };
const packageJson = (name: string, content: unknown = manifest): Entry => ({ name, content: JSON.stringify(content) });

const read = async (bytes: Buffer, pieceBytes = bytes.length): Promise<TarballContent> => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  return readTarball(Readable.from(pieces));
};

const refusalOf = async (bytes: Buffer): Promise<string> => {
  try {
    await read(bytes);
    return 'accepted';
  } catch (error) {
    return describeRefusal(error);
  }
};

const refusalOfEntries = async (...entries: Entry[]): Promise<string> => refusalOf(await tarballOf(entries));

describe('a tarball', () => {
  it('that npm packed is read', async () => {
    const [attachment] = Object.values(attachmentsOf(recorded('publish-scoped')));
    const content = await read(Buffer.from(String(attachment?.data), 'base64'));
    expect(content).toMatchObject({
      manifest: { name: '@acme/web', version: '1.0.0', description: 'Web of Acme' },
      fileCount: 4,
      hasShrinkwrap: false,
    });
  });

  it('holds a manifest, which may come last, and files', async () => {
    const bytes = await tarballOf([
      { name: 'package', type: 'directory' },
      { name: 'package/index.js', content: 'module.exports = 1;\n' },
      { name: 'package/link', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'package/nested/package.json', content: '{}' },
      { name: 'package/npm-shrinkwrap.json', content: '{}' },
      packageJson('package/package.json'),
    ]);
    const content = {
      manifest,
      fileCount: 4,
      unpackedSize: 24 + JSON.stringify(manifest).length,
      hasShrinkwrap: true,
    };
    expect(await read(bytes)).toEqual(content);
    expect(await read(bytes, 1)).toEqual(content);
  });

  it.each(['package/package.json', 'web/package.json', './package.json', `${'w'.repeat(120)}/package.json`])(
    'may have its manifest at %s',
    async (name) => {
      expect((await read(await tarballOf([packageJson(name)]))).manifest).toEqual(manifest);
    },
  );

  it('has its version written as npm writes it', async () => {
    const bytes = await tarballOf([packageJson('package/package.json', { ...manifest, version: 'v1.2.3+build' })]);
    expect((await read(bytes)).manifest.version).toBe('1.2.3');
  });

  it('may have a byte order mark in its manifest', async () => {
    const bytes = await tarballOf([{ name: 'package/package.json', content: `\ufeff${JSON.stringify(manifest)}` }]);
    expect((await read(bytes)).manifest).toEqual(manifest);
  });

  it.each([
    '/package.json',
    '../package.json',
    'package//package.json',
    'package/./package.json',
    'package/../package.json',
    'package/x/../package.json',
    'package\\package.json',
    'package/package.json\0.txt',
  ])('is refused when npm could take %j for its manifest', async (name) => {
    const entries = [{ ...packageJson('a'), name, pax: { path: name } } as Entry];
    expect(await refusalOfEntries(...entries)).toMatch(
      /^malformed: (?:The path of package\.json in the tarball must be|The tarball has no package\.json)/,
    );
    expect(await refusalOfEntries(packageJson('package/package.json'), ...entries)).toMatch(/^malformed: The path/);
  });

  it.each([
    ['no manifest', [{ name: 'package/index.js', content: '' }], 'The tarball has no package.json at its root.'],
    ['nothing', [], 'The tarball has no package.json at its root.'],
    ['a manifest below', [packageJson('package/a/package.json')], 'The tarball has no package.json at its root.'],
    ['a manifest above', [packageJson('package.json')], 'The tarball has no package.json at its root.'],
    [
      'a link for a manifest',
      [{ name: 'package/package.json', type: 'symlink', linkname: '/etc/passwd' }],
      'The tarball has no package.json at its root.',
    ],
    [
      'two manifests',
      [packageJson('package/package.json'), packageJson('other/package.json')],
      'The tarball has more than one package.json at its root.',
    ],
    [
      'a manifest that is no JSON',
      [{ name: 'package/package.json', content: '{' }],
      'package.json in the tarball is not well-formed JSON.',
    ],
    [
      'a manifest of more than 10 MiB',
      [{ name: 'package/package.json', content: Buffer.alloc(10 * 1024 * 1024 + 1) }],
      'package.json in the tarball has more than 10485760 bytes.',
    ],
  ] satisfies [string, Entry[], string][])('is refused with %s', async (_, entries, sentence) => {
    expect(await refusalOfEntries(...entries)).toBe(`malformed: ${sentence}`);
  });

  it.each([
    ['no name', { version: '1.0.0' }, '/name name'],
    ['a name with capitals', { name: 'Web', version: '1.0.0' }, '/name name'],
    ['no version', { name: 'web' }, '/version semver'],
    ['a version that is a number', { name: 'web', version: 1 }, '/version semver'],
    ['a version that is no version', { name: 'web', version: '1.0' }, '/version semver'],
    ['a version that is too long', { name: 'w'.repeat(214), version: `1.0.0-${'a'.repeat(40)}` }, '/version length'],
    ['neither', {}, '/name name, /version semver'],
  ])('is refused with %s in its manifest', async (_, content, violations) => {
    expect(await refusalOfEntries(packageJson('package/package.json', content))).toBe(`invalid: ${violations}`);
  });
});

describe('the bytes of a tarball', () => {
  const damaged = 'malformed: The tarball is not a gzipped tar archive, or it is damaged.';

  it('are refused when they are no archive', async () => {
    expect(await refusalOf(Buffer.from('no archive'))).toBe(damaged);
    expect(await refusalOf(Buffer.alloc(0))).toBe(damaged);
    expect(await refusalOf(gzipSync('no archive'.repeat(100)))).toBe(damaged);
    expect(await refusalOf(await tarOf([packageJson('package/package.json')]))).toBe(damaged);
  });

  it('are refused when some are missing or wrong', async () => {
    const bytes = await tarballOf([
      packageJson('package/package.json'),
      { name: 'package/a', content: 'a'.repeat(999) },
    ]);
    for (let length = 1; length < bytes.length; length += 7)
      expect(await refusalOf(bytes.subarray(0, length))).toBe(damaged);
    const wrong = Buffer.from(bytes);
    // The checksum of gzip is in the last eight bytes.
    wrong.writeUInt8(wrong.readUInt8(wrong.length - 6) ^ 1, wrong.length - 6);
    expect(await refusalOf(wrong)).toBe(damaged);
    const cut = await tarOf([packageJson('package/package.json'), { name: 'package/a', content: 'a'.repeat(9999) }]);
    expect(await refusalOf(gzipSync(cut.subarray(0, 3000)))).toBe(damaged);
  });

  it('may inflate to 16 MiB at any ratio, and to more at a ratio of 200', async () => {
    const zeros = (mebibytes: number): Entry => ({
      name: 'package/zeros',
      content: Buffer.alloc(mebibytes * 1024 * 1024),
    });
    expect((await read(await tarballOf([zeros(15), packageJson('package/package.json')]))).fileCount).toBe(2);
    expect(await refusalOfEntries(zeros(17), packageJson('package/package.json'))).toBe(
      'malformed: The tarball inflates to more than 200 times its size.',
    );
  });

  it('are refused beyond 512 MiB', async () => {
    const archive = pack();
    archive.entry({ name: 'package/large', size: 600 * 1024 * 1024 });
    const [header] = (await once(archive, 'data')) as Buffer[];
    // Bytes that do not shrink keep the ratio low.
    const piece = gzipSync(Buffer.concat([randomBytes(64 * 1024), Buffer.alloc(7 * 1024 * 1024)]));
    const source = Readable.from([gzipSync(header ?? ''), ...Array<Buffer>(80).fill(piece)]);
    await expect(readTarball(source)).rejects.toThrow('The tarball inflates to more than 536870912 bytes.');
  });

  it('are refused with more than 100,000 entries', async () => {
    const [header, others, end] = [512, 512 * 100_000, 1024];
    const empty = (await tarOf([{ name: 'package/a', content: '' }])).subarray(0, header);
    const filler = (await tarOf([{ name: 'package/b', content: randomBytes(400 * 1024) }])).subarray(0, -end);
    const bytes = gzipSync(Buffer.concat([filler, Buffer.alloc(others, empty), Buffer.alloc(end)]));
    expect(await refusalOf(bytes)).toBe('malformed: The tarball has more than 100000 entries.');
  });

  it('that cannot be read fail as their source fails', async () => {
    const bytes = await tarballOf([packageJson('package/package.json')]);
    const lost = new Error('The connection is lost.');
    const source = Readable.from(
      (async function* () {
        yield bytes.subarray(0, 50);
        throw lost;
      })(),
    );
    await expect(readTarball(source)).rejects.toBe(lost);
  });
});
