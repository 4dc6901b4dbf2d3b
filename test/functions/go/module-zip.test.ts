import fc from 'fast-check';
import { readModuleZip } from '../../../functions/go/module-zip.ts';
import { ApiError } from '../../../shared/errors.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';
import { type ZipEntry, zipOf } from '../../harness/zips.ts';

const prefix = 'corp.example/x@v1.0.0/';

/** The sentence of a refusal, or the go.mod. */
const outcomeOf = async (zip: Buffer): Promise<string> => {
  try {
    return (await readModuleZip(fileInMemory(zip))).goMod.toString();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PACKAGE_INVALID') return error.message;
    throw error;
  }
};

const readEntries = (...entries: ZipEntry[]): Promise<string> => outcomeOf(zipOf(entries));
const file = (path: string, content = '', fields: Partial<ZipEntry> = {}): ZipEntry => ({
  path: prefix + path,
  content,
  ...fields,
});
const goMod = file('go.mod', 'module corp.example/x\n');

describe('A module zip', () => {
  it('says its module, its version and its go.mod', async () => {
    const zip = zipOf([goMod, file('x.go', 'package x')], 'a comment of git');
    expect(await readModuleZip(fileInMemory(zip))).toEqual({
      name: 'corp.example/x',
      version: 'v1.0.0',
      goMod: Buffer.from('module corp.example/x\n'),
    });
  });

  it.each<[string, ZipEntry[]]>([
    ['files in folders', [file('sub/x.go'), file('sub/sub/y.go'), goMod]],
    ['a stored file', [file('go.mod', 'module corp.example/x', { method: 0 })]],
    ['letters of any script, and spaces', [goMod, file('été/日本 1.txt')]],
    ['a LICENSE of 16 MiB', [goMod, file('LICENSE', '', { saidSize: 16 * 1024 * 1024 })]],
    ['a quoted path in go.mod', [file('go.mod', '// a comment\nmodule "corp.example/x" // another\n')]],
    ['a block in go.mod', [file('go.mod', 'module (\n\tcorp.example/x\n)\n')]],
  ])('may have %s', async (_, entries) => {
    expect(await readEntries(...entries)).toContain('module');
  });

  it('may require all that go reads, and its go.mod may say anything that go reads in the main module alone', async () => {
    const content =
      'require a.example/z v1.0.0 // indirect\r\nmodule(\n corp.example/x\n)\ngo 1.21rc1\nrequire (\n\t"a.example/a" "v1"\n\ta.example/b/v2 v2.1.0-rc.1+meta\n\ta.example/c v2.0.0+incompatible\n\tgopkg.in/yaml.v3 v3.0.1 // a /* b\n)\nrequire ()\nexclude a.example/z bad\nretract [v1.0.0\nretract (\n bad\n)\nreplace a.example/z => ../(z) bad\ntoolchain foo\nunknown module x\nunknown module (\n y\n)\ngo (\n banana\n)\n';
    expect(await readEntries(file('go.mod', content))).toBe(content);
  });

  it('without a go.mod gets one that names the module', async () => {
    expect(await readEntries(file('x.go'))).toBe('module corp.example/x\n');
  });

  it.each<[string, RegExp, ZipEntry[]]>([
    ['an entry for its root', /Take out such entries: zip -qd module\.zip '\*\/'/, [file(''), goMod]],
    ['an entry for a folder', /the folder 'corp\.example\/x@v1\.0\.0\/sub\/'/, [file('sub/'), file('sub/x.go'), goMod]],
    ['a path without the module', /begin with the module/, [{ path: 'go.mod' }]],
    [
      'a path of another module',
      /begin with 'corp\.example\/x@v1\.0\.0\/'/,
      [goMod, { path: 'corp.example/y@v1.0.0/y.go' }],
    ],
    ['a wrong module path', /no module path: it needs a dot/, [{ path: 'nodot@v1.0.0/x.go' }]],
    ['a version that is not canonical', /no canonical version/, [{ path: 'corp.example/x@v1.0/x.go' }]],
    ['build metadata', /no canonical version/, [{ path: 'corp.example/x@v1.0.0+meta/x.go' }]],
    ['a major version without its suffix', /does not fit/, [{ path: 'corp.example/x@v2.0.0/x.go' }]],
    ['a suffix of another major version', /does not fit/, [{ path: 'corp.example/x/v3@v2.0.0/x.go' }]],
    ['+incompatible with a suffix', /does not fit/, [{ path: 'corp.example/x/v2@v2.0.0+incompatible/x.go' }]],
    ['+incompatible below v2', /does not fit/, [{ path: 'corp.example/x@v1.0.0+incompatible/x.go' }]],
    [
      '+incompatible with a go.mod',
      /needs the path corp\.example\/x\/v2/,
      [{ path: 'corp.example/x@v2.0.0+incompatible/go.mod', content: 'module corp.example/x' }],
    ],
    ['an element that is too long', /250 characters/, [{ path: `corp.example/${'A'.repeat(130)}@v1.0.0/x.go` }]],
    ['a path that leaves the module', /go refuses/, [goMod, file('../x')]],
    ['a device of Windows', /go refuses/, [goMod, file('sub/AUX.txt')]],
    ['a colon', /go refuses/, [goMod, file('a:b')]],
    ['a backslash', /go refuses/, [goMod, file('a\\b')]],
    ['a path that is not clean', /go refuses/, [goMod, file('a//b')]],
    [
      'a path that is not UTF-8',
      /not UTF-8/,
      [goMod, { path: Buffer.concat([Buffer.from(prefix), Buffer.from([0xff])]) }],
    ],
    [
      'files that differ in case',
      /differ in case alone: 'README' and 'Readme'/,
      [goMod, file('README'), file('Readme')],
    ],
    ['folders that differ in case', /differ in case alone/, [goMod, file('sub/a'), file('Sub/b')]],
    ['a file twice', /more than once/, [goMod, file('a'), file('a')]],
    ['a file that is a folder, too', /more than once/, [goMod, file('a'), file('a/b')]],
    ['a nested go.mod', /one go\.mod/, [goMod, file('sub/go.mod')]],
    ['a go.mod in capitals', /one go\.mod/, [file('GO.MOD')]],
    ['a go.mod of another module', /declares the module 'corp\.example\/y'/, [file('go.mod', 'module corp.example/y')]],
    ...(
      [
        ['module corp.example/x', /has more than one module directive/],
        ['require a.example/z notaversion', /requires 'a\.example\/z notaversion', which must be a module path and/],
        ['require a.example/z master', /a version such as v1\.2\.3/],
        ['require a.example/z', /a version such as v1\.2\.3/],
        ['require a.example/z v1.0.0 more', /a version such as v1\.2\.3/],
        ['require `a.example/z` v1.0.0', /a version such as v1\.2\.3/],
        ['require (\n a.example/z v1.02.0\n)', /a version such as v1\.2\.3/],
        ['require a.example/z v2.0.0', /must have the same major version/],
        ['require a.example/z/v2 v1.0.0', /must have the same major version/],
        ['require (\n a.example/z v1.0.0', /has a block without an end/],
        ['/* a comment */', /write it with \/\//],
        ['go banana', /needs a version such as 1\.23/],
        ['go 1.21\ngo 1.22', /has more than one go directive/],
      ] as const
    ).map(([line, sentence]): [string, RegExp, ZipEntry[]] => [
      `a go.mod with ${JSON.stringify(line)}`,
      sentence,
      [file('go.mod', `module corp.example/x\n${line}\n`)],
    ]),
    ['a go.mod with a byte order mark', /byte order mark/, [file('go.mod', '\uFEFFmodule corp.example/x\n')]],
    ['a module in backquotes', /declares the module '`corp/, [file('go.mod', 'module `corp.example/x`\n')]],
    ['two paths of a module', /one module path/, [file('go.mod', 'module corp.example/x y\n')]],
    ['a go.mod without a module', /no module directive/, [file('go.mod', 'go 1.21\n')]],
    ['a go.mod over 1 MiB', /more than 1048576/, [file('go.mod', '', { saidSize: 1024 * 1024 + 1 })]],
    ['a LICENSE over 16 MiB', /more than 16777216/, [goMod, file('LICENSE', '', { saidSize: 16 * 1024 * 1024 + 1 })]],
    [
      'over 500 MiB of files',
      /more than 524288000/,
      [goMod, ...['a', 'b', 'c'].map((path) => file(path, '', { saidSize: 200 * 1024 * 1024 }))],
    ],
    ['an encrypted file', /encrypted/, [goMod, file('a', '', { flags: 0x801 })]],
    ['a file in another compression', /compressed in a way/, [goMod, file('a', '', { method: 12 })]],
    ['a go.mod that is longer than it says', /damaged/, [file('go.mod', 'module corp.example/x\n', { saidSize: 3 })]],
    ['nothing', /empty/, []],
  ])('is refused for %s', async (_, sentence, entries) => {
    expect(await readEntries(...entries)).toMatch(sentence);
  });

  it('is refused if it has more than 500 MiB', async () => {
    const large = { ...fileInMemory(Buffer.from('x')), size: 500 * 1024 * 1024 + 1 };
    await expect(readModuleZip(large)).rejects.toThrow('at most 524288000 bytes');
  });

  it('is read in few requests, wherever its bytes are', async () => {
    const entries = Array.from({ length: 3_000 }, (_, index) => file(`folder/file-${index}.go`, `// ${index}`));
    const zip = fileInMemory(zipOf([goMod, ...entries]));
    let reads = 0;
    const read: typeof zip.read = (range) => {
      reads += 1;
      return zip.read(range);
    };
    const counted = { ...zip, read };
    expect((await readModuleZip(counted)).version).toBe('v1.0.0');
    expect(reads).toBeLessThanOrEqual(3);
  });

  it('that the store cannot read is no fault of its publisher', async () => {
    const zip = { ...fileInMemory(zipOf([goMod])), read: () => Promise.reject(new Error('The store is down.')) };
    await expect(readModuleZip(zip)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('is read or refused, whatever its bytes', async () => {
    const zip = zipOf([goMod, file('x.go', 'package x')]);
    const changes = fc.array(fc.tuple(fc.nat(zip.length - 1), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(zip.length), async (bytes, length) => {
        const changed = Buffer.from(zip);
        for (const [at, value] of bytes) changed[at] = value;
        expect(typeof (await outcomeOf(changed))).toBe('string');
        expect(typeof (await outcomeOf(changed.subarray(0, length)))).toBe('string');
      }),
      { numRuns: Number(process.env.NAME_RUNS ?? 300) },
    );
  });
});
