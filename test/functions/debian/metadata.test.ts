import { execFileSync } from 'node:child_process';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { readMetadata } from '../../../functions/debian/metadata.ts';
import { stanzaOf } from '../../../functions/debian/stanzas.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';
import { arOf, controlOf, controlTar, debOf, debWith, type Member } from '../../types/debian-files.ts';
import { tarOf } from '../../types/tars.ts';

const app = { name: 'acme-app', version: '1:2.0~rc1-1', architecture: 'amd64' };

const read = async (bytes: Buffer) => readMetadata(fileInMemory(bytes));

/** What xz writes for `controlOf(app)` in an archive: no library of the runtime compresses by xz. */
const xzOf = (bytes: Buffer): Buffer => execFileSync('xz', ['-c'], { input: bytes });

const withControl = (text: string): Buffer => debWith(['control.tar', controlTar(text)]);

describe('The metadata of a package', () => {
  const tar = controlTar(controlOf(app));
  it.each<Member>([
    ['control.tar', tar],
    ['control.tar.gz', gzipSync(tar)],
    ['control.tar.xz', xzOf(tar)],
    ['control.tar.zst', zstdCompressSync(tar)],
  ])('are read from %s', async (name, content) => {
    expect(await read(debWith([name, content]))).toMatchObject(app);
  });

  it('are read behind members for programs to come, and from a file without ./ in front', async () => {
    const bytes = arOf([
      ['debian-binary', '2.1\nmore\n'],
      ['_gpgorigin', 'odd'],
      ['control.tar/', tarOf({ control: controlOf(app) })],
      ['data.tar.xz', ''],
    ]);
    expect(await read(bytes)).toMatchObject(app);
  });

  it('read nothing of the payload', async () => {
    const bytes = debWith(['control.tar.gz', gzipSync(controlTar(controlOf(app)))], 'x'.repeat(100_000));
    const ranges: number[] = [];
    const file = fileInMemory(bytes);
    await readMetadata({
      size: file.size,
      read: async (range) => {
        ranges.push(range[1] - range[0] + 1);
        return file.read(range);
      },
    });
    expect(ranges.reduce((sum, each) => sum + each, 0)).toBeLessThan(2_000);
  });

  it('become a paragraph of a list with the place, the size and the hash of the file alone', async () => {
    const control = ['filename: pool/elsewhere.deb', 'SHA256: 00', 'MD5sum: 00', 'Depends: libc6,', ' other   '];
    const { fields } = await read(withControl(controlOf({ ...app, control })));
    expect(stanzaOf(fields, { path: 'pool/a.deb', size: 5, sha256: 'ff' })).toBe(
      [
        'Package: acme-app',
        'Version: 1:2.0~rc1-1',
        'Architecture: amd64',
        'Maintainer: Acme <packages@acme.example>',
        'Installed-Size: 1',
        'Depends: libc6,',
        ' other',
        'Description: A package of a test',
        ' What it is for.',
        'Filename: pool/a.deb',
        'Size: 5',
        'SHA256: ff',
        '',
      ].join('\n'),
    );
  });

  it('may be in Latin-1', async () => {
    const text = Buffer.from(controlOf({ ...app, control: ['Uploaders: Jörg'] }), 'latin1').toString('latin1');
    const tarred = tarOf({ control: Buffer.from(text, 'latin1') });
    const { fields } = await read(debWith(['control.tar', tarred]));
    expect(fields.find(({ name }) => name === 'Uploaders')?.value).toBe('Jörg');
  });
});

describe('A package is refused', () => {
  const tar = controlTar(controlOf(app));
  const version: Member = ['debian-binary', '2.0\n'];
  const data: Member = ['data.tar', ''];
  it.each<readonly [string, Buffer, RegExp]>([
    ['that is no archive', Buffer.from('PK'), /does not begin with !<arch>/],
    ['that is cut in a header', debOf(app).subarray(0, 70), /ends too early/],
    ['that is cut in its payload', debOf(app).subarray(0, -2), /data\.tar\.gz ends too early/],
    [
      'of another version',
      arOf([['debian-binary', '3.0\n'], ['control.tar', tar], data]),
      /debian-binary of version 2/,
    ],
    ['without a version', arOf([['control.tar', tar], data]), /debian-binary of version 2/],
    ['of another compression', arOf([version, ['control.tar.bz2', tar], data]), /no control\.tar/],
    ['without a payload', arOf([version, ['control.tar', tar], ['other', '']]), /no data\.tar/],
    [
      'whose header has no end',
      Buffer.from(debOf(app).toString('latin1').replace('`\n', '  '), 'latin1'),
      /cannot be read/,
    ],
    ['whose metadata are no gzip', debWith(['control.tar.gz', tar]), /cannot be unpacked/],
    ['whose metadata are no xz', debWith(['control.tar.xz', tar]), /cannot be unpacked/],
    ['whose metadata are no zstd', debWith(['control.tar.zst', tar]), /cannot be unpacked/],
    [
      'whose metadata are a bomb',
      debWith(['control.tar.gz', gzipSync(Buffer.alloc(33_000_000))]),
      /more than 32000000/,
    ],
    [
      'whose metadata are a bomb of xz',
      debWith(['control.tar.xz', xzOf(Buffer.alloc(33_000_000))]),
      /more than 32000000/,
    ],
    ['whose metadata are very long', debWith(['control.tar', Buffer.alloc(8_000_001)]), /more than 8000000 bytes/],
    ['whose metadata are cut', debWith(['control.tar', tar.subarray(0, 700)]), /not a tar archive/],
    ['without a file control', debWith(['control.tar', tarOf({ './other': '' })]), /one file named control/],
    [
      'with a long file control',
      debWith(['control.tar', tarOf({ './control': 'a'.repeat(1_000_001) })]),
      /1000000 bytes/,
    ],
    ['without a version in it', withControl('Package: app\nArchitecture: all\n'), /must have Package/],
    ['with two architectures', withControl(controlOf({ ...app, architecture: 'amd64 arm64' })), /must have Package/],
    ['with a capital in its name', withControl(controlOf({ ...app, name: 'App' })), /must have Package/],
    ['with a field twice', withControl(controlOf({ ...app, control: ['version: 2'] })), /the field version twice/],
    ['with a line that is no field', withControl(controlOf({ ...app, control: ['Depends'] })), /no field: "Depends"/],
    ['with a second paragraph', withControl(`${controlOf(app)}\nPackage: other\n`), /no field: ""/],
    ['with a NUL', withControl(controlOf({ ...app, control: ['Depends: a\0b'] })), /no field: "Depends/],
    ['that begins in a field', withControl(` a\n${controlOf(app)}`), /no field: " a"/],
  ])('%s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });
});
