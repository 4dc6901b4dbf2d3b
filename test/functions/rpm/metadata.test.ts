import { readMetadata } from '../../../functions/rpm/metadata.ts';
import { packageTexts } from '../../../functions/rpm/package-xml.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';
import { headerOf, rpmOf, type Tag, type TestRpm, tagsOf } from '../../types/rpm-files.ts';

const tool: TestRpm = { name: 'tool', version: '1.0' };

const textsOf = async (each: Partial<TestRpm>) =>
  packageTexts(await readMetadata(fileInMemory(rpmOf({ ...tool, ...each }))), 'f'.repeat(64));

/** The names of an element of dependencies, each with whether it is needed before a script. */
const namesIn = (primary: string, kind: string): string[] => {
  const [, inner = ''] = new RegExp(`<rpm:${kind}>([\\s\\S]*?)</rpm:${kind}>`).exec(primary) ?? [];
  return Array.from(
    inner.matchAll(/name="([^"]*)"(.*?)\/>/g),
    ([, name, rest = '']) => `${name}${rest.includes('pre=') ? ' pre' : ''}`,
  );
};

const requiring = (...each: readonly (readonly [name: string, flags?: number, evr?: string])[]): readonly Tag[] => [
  [1048, 4, each.map(([, flags = 0]) => flags)],
  [1049, 8, each.map(([name]) => name)],
  [1050, 8, each.map(([, , evr = '']) => evr)],
];

describe('The metadata of a package', () => {
  it('leave out what rpm alone must know, what the package has itself, and repeated requirements', async () => {
    const tags = requiring(
      ['rpmlib(CompressedFileNames)', 8, '3.0'],
      ['/usr/bin/tool'],
      ['/usr/share/tool'],
      ['tool', 8, '1.0-1'],
      ['sh'],
      ['sh'],
      ['sh', 1 << 9],
      ['ldconfig', 1 << 10],
      ['old', 1 << 6],
    );
    const { primary } = await textsOf({ files: ['/usr/bin/tool', '/usr/share/tool'], tags });
    expect(namesIn(primary, 'requires')).toEqual(['/usr/share/tool', 'sh', 'sh pre', 'ldconfig pre', 'old pre']);
  });

  it('have the highest version of glibc alone, as the last requirement', async () => {
    const { primary } = await textsOf({
      tags: requiring(
        ['libc.so.6(GLIBC_2.9)(64bit)'],
        ['libc.so.6(GLIBC_2.34)(64bit)'],
        ['libc.so.6()(64bit)'],
        ['sh'],
      ),
    });
    expect(namesIn(primary, 'requires')).toEqual(['sh', 'libc.so.6(GLIBC_2.34)(64bit)']);
  });

  it('say how a version compares, and have 0 for an epoch that is left out', async () => {
    const { primary } = await textsOf({
      tags: requiring(['lt', 2, '1'], ['gt', 4, '1-2'], ['le', 10, '3:1'], ['ge', 12, '1'], ['any', 0, '']),
    });
    const entries = Array.from(primary.matchAll(/<rpm:entry name="(?!tool)(.*)\/>/g), ([, entry]) => entry);
    expect(entries).toEqual([
      'lt" flags="LT" epoch="0" ver="1"',
      'gt" flags="GT" epoch="0" ver="1" rel="2"',
      'le" flags="LE" epoch="3" ver="1"',
      'ge" flags="GE" epoch="0" ver="1"',
      'any"',
    ]);
  });

  it('have the weak dependencies', async () => {
    const weak = { recommends: 5046, suggests: 5049, supplements: 5052, enhances: 5055 };
    const tags = Object.entries(weak).flatMap(([kind, tag]): Tag[] => [
      [tag, 8, [kind]],
      [tag + 1, 8, ['']],
      [tag + 2, 4, [0]],
    ]);
    const { primary } = await textsOf({ tags });
    for (const kind of Object.keys(weak)) expect(namesIn(primary, kind)).toEqual([kind]);
  });

  it('list directories and ghosts as such, and in the first list what most clients ask for', async () => {
    const files = ['/etc/tool', '/usr/lib/sendmail', '/usr/sbin/tool', '/usr/lib/tool', '/var/log/tool'];
    const tags: Tag[] = [
      [1030, 3, [0o040755, 0o100644, 0o100755, 0o100644, 0o100644]],
      [1037, 4, [0, 0, 0, 0, 64]],
    ];
    const { primary, filelists } = await textsOf({ files, tags });
    const filesIn = (text: string) => Array.from(text.matchAll(/<file.*<\/file>/g), ([file]) => file);
    const [first, ...others] = [
      '<file type="dir">/etc/tool</file>',
      '<file>/usr/lib/sendmail</file>',
      '<file>/usr/sbin/tool</file>',
    ];
    expect(filesIn(primary)).toEqual([first, ...others]);
    expect(filesIn(filelists)).toEqual([
      first,
      ...others,
      '<file>/usr/lib/tool</file>',
      '<file type="ghost">/var/log/tool</file>',
    ]);
  });

  it('have the ten newest changes, the oldest of them first, each with a date of its own', async () => {
    const numbers = Array.from({ length: 12 }, (_, at) => at);
    const { other } = await textsOf({
      tags: [
        [1080, 4, numbers.map((at) => (at < 2 ? 5000 : 5000 - at))],
        [1081, 8, numbers.map((at) => `author ${at}  `)],
        [1082, 8, numbers.map((at) => `- ${at} & <more>`)],
      ],
    });
    const changes = Array.from(other.matchAll(/<changelog author="(.*)" date="(\d+)">(.*)<\/changelog>/g), (all) =>
      all.slice(1),
    );
    expect(changes).toHaveLength(10);
    expect(changes[0]).toEqual(['author 9', '4991', '- 9 &amp; &lt;more&gt;']);
    expect(changes.slice(-2).map(([, date]) => date)).toEqual(['5000', '5001']);
  });

  it('are those of a source package if the header names no other one', async () => {
    const header = headerOf(tagsOf(tool).filter(([tag]) => tag !== 1044));
    expect((await readMetadata(fileInMemory(rpmOf(tool, header)))).arch).toBe('src');
  });

  it('are read as Latin-1 where they are not UTF-8, and lose what XML cannot have', async () => {
    const bytes = rpmOf({ ...tool, tags: [[1004, 9, ['caf_ \u0001x']]] });
    bytes[bytes.indexOf('caf_') + 3] = 0xe9;
    const { primary } = packageTexts(await readMetadata(fileInMemory(bytes)), 'f'.repeat(64));
    expect(primary).toContain('<summary>café x</summary>');
  });
});

describe('A file that is no package', () => {
  const whole = rpmOf(tool);
  const headerAt = whole.lastIndexOf(Buffer.from('8eade801', 'hex'));
  const changed = (at: number, ...bytes: readonly number[]): Buffer => {
    const copy = Buffer.from(whole);
    copy.set(bytes, at);
    return copy;
  };
  const unended = headerOf([...tagsOf(tool), [5046, 8, ['a']]]);
  unended.fill('b', unended.length - 2);
  const refusals: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
    'that is empty': [Buffer.alloc(0), /ends before its header does/],
    'that begins otherwise': [changed(0, 0), /does not begin as packages do/],
    'that was cut in its header': [whole.subarray(0, headerAt + 40), /ends before its header does/],
    'that was cut behind its header': [whole.subarray(0, -3), /it was cut or changed/],
    'that was made longer': [Buffer.concat([whole, Buffer.from('x')]), /it was cut or changed/],
    'whose header begins otherwise': [changed(headerAt, 0), /does not begin as headers do/],
    'whose header has too many tags': [changed(headerAt + 8, 0, 0, 0x27, 0x11), /may have 10000 tags/],
    'whose header is too large': [changed(headerAt + 12, 0x7f), /16777216 bytes/],
    'with a tag of an unknown type': [changed(headerAt + 16 + 7, 12), /unknown type 12/],
    'with a tag beyond the header': [changed(headerAt + 16 + 8, 0x7f), /ends beyond the header/],
    'with a tag of too many values': [changed(headerAt + 16 + 12, 0x7f), /ends beyond the header/],
    'with a name that is a number': [changed(headerAt + 16 + 7, 4), /is no text|ends beyond/],
    'with a tag twice': [changed(headerAt + 32, ...whole.subarray(headerAt + 16, headerAt + 20)), /twice/],
    'with a text without an end': [rpmOf(tool, unended), /has no end/],
    'with lists of two lengths': [rpmOf({ ...tool, tags: [[1037, 4, [0, 0]]] }), /differ in length/],
    'with a file in no directory': [
      rpmOf({ ...tool, files: ['/usr/bin/a'], tags: [[1116, 4, [7]]] }),
      /names no directory for its file a/,
    ],
    'whose name is a path': [rpmOf({ ...tool, name: '../tool' }), /of letters, digits/],
    'whose version has a hyphen': [rpmOf({ ...tool, version: '1-0' }), /of letters, digits/],
  };

  it.each(Object.entries(refusals))('%s is refused with a sentence', async (_, [bytes, sentence]) => {
    await expect(readMetadata(fileInMemory(bytes))).rejects.toThrow(sentence);
    await expect(readMetadata(fileInMemory(bytes))).rejects.toMatchObject({ name: 'FormatProblem' });
  });

  it('is refused, or read, whatever was changed: nothing else happens', async () => {
    const count = Number(process.env.RPM_MUTATIONS ?? 1_000);
    let seed = 7;
    const random = (max: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % max;
    };
    const base = rpmOf({ ...tool, files: ['/usr/bin/a', '/etc/b'], requires: ['sh', 'libc.so.6(GLIBC_2.4)'] });
    for (let round = 0; round < count; round += 1) {
      const bytes = Buffer.from(base);
      for (let change = 0; change <= random(4); change += 1) bytes[random(bytes.length)] = random(256);
      const cut = random(10) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
      try {
        packageTexts(await readMetadata(fileInMemory(cut)), '');
      } catch (error) {
        expect(error).toMatchObject({ name: 'FormatProblem' });
      }
    }
  });
});
