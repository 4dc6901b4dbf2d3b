import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import fc from 'fast-check';
import { readMetadata } from '../../functions/rpm/metadata.ts';
import { type PackageTexts, packageTexts } from '../../functions/rpm/package-xml.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { sha256 } from '../harness/bytes.ts';

/** `npm run test:references`: what createrepo_c, and rpm itself through its Python, say of packages that rpmbuild makes. */
jest.setTimeout(900_000);

const count = 200;
const folder = mkdtempSync(join(tmpdir(), 'stockroom-rpms-'));
afterAll(() => rmSync(folder, { recursive: true }));

const name = fc.constantFrom(
  'glibc',
  'tool',
  'config(x)',
  'perl(A::B)',
  'lib.so.6(V_1)(64bit)',
  '/usr/bin/sh',
  'pkgconfig(z)',
);
const condition = fc
  .tuple(name, fc.constantFrom('', ' = 1.0', ' >= 2:3.0-1', ' < 4', ' <= 5-2', ' > 0.1~rc1'))
  .map(([what, how]) => (what.startsWith('/') ? what : what + how));
const conditions = fc.uniqueArray(condition, { maxLength: 3 });
const kinds = [
  'Requires',
  'Requires(pre)',
  'Provides',
  'Conflicts',
  'Obsoletes',
  'Recommends',
  'Suggests',
  'Supplements',
  'Enhances',
];
const path = fc.constantFrom(
  '/usr/bin/x',
  '/etc/x.conf',
  '/usr/lib/x.so',
  '/usr/share/doc/x & y',
  '/usr/lib/sendmail',
  '/opt/bin/<x>',
);

const part = fc.record({
  summary: fc.constantFrom('A tool', 'Ein Ärgernis', 'a < b & c'),
  description: fc.constantFrom('One line.', 'Two\\nlines.', '  Indented & <marked>.'),
  epoch: fc.option(fc.nat(3), { nil: undefined }),
  version: fc.constantFrom('1.0', '2.0~rc1', '3.1^git1', '10'),
  isNoarch: fc.boolean(),
  dependencies: fc.tuple(
    ...kinds.map((kind) => conditions.map((each) => each.map((text) => `${kind}: ${text}\n`).join(''))),
  ),
  files: fc.uniqueArray(path, { maxLength: 4 }),
});

type Part = typeof part extends fc.Arbitrary<infer T> ? T : never;

const partSpec = ({ summary, description, epoch, version, isNoarch, dependencies }: Part, number: number): string =>
  `%package -n part-${number}\nSummary: ${summary}\nVersion: ${version}\n${epoch === undefined ? '' : `Epoch: ${epoch}\n`}${isNoarch ? 'BuildArch: noarch\n' : ''}${dependencies
    .filter((lines) => !/^Obsoletes: (?!glibc|tool)/m.test(lines))
    .join('')}%description -n part-${number}\n${description.replaceAll('\\n', '\n')}\n`;

const filesOf = ({ files }: Part, number: number): string =>
  `%files -n part-${number}\n${files.map((file) => `"${file}${number}"\n`).join('')}%dir /usr/share/part-${number}\n%ghost /var/ghost-${number}\n`;

const built = (parts: readonly Part[]): readonly string[] => {
  const made = parts.flatMap(({ files }, number) =>
    files.map(
      (file) =>
        `mkdir -p "%{buildroot}$(dirname "${file}${number}")"\necho ${number} > "%{buildroot}${file}${number}"\n`,
    ),
  );
  const folders = parts.map(
    (_, number) =>
      `mkdir -p %{buildroot}/usr/share/part-${number} %{buildroot}/var\ntouch %{buildroot}/var/ghost-${number}\n`,
  );
  const spec = [
    'Name: whole\nVersion: 1.0\nRelease: 1%{?dist}\nSummary: All\nLicense: MIT\nURL: https://acme.example\nVendor: Acme\nPackager: A <a@acme.example>\nGroup: Tools\n%description\nAll.\n',
    ...parts.map(partSpec),
    '%install\n',
    ...made,
    ...folders,
    ...parts.map(filesOf),
    '%changelog\n',
    ...Array.from(
      { length: 12 },
      (_, at) =>
        `* Mon Jan ${String(26 - at).padStart(2, '0')} 2026 A & B <a@acme.example> - 1.${12 - at}\n- Change ${at} <b>\n\n`,
    ).map((text, at) => text.replace('Mon', ['Mon', 'Sun', 'Sat', 'Fri', 'Thu', 'Wed', 'Tue'][at % 7] ?? 'Mon')),
  ].join('');
  writeFileSync(join(folder, 'whole.spec'), spec);
  execFileSync(
    'rpmbuild',
    ['-bb', '--quiet', '--define', `_topdir ${folder}`, '--define', '__check_files %{nil}', join(folder, 'whole.spec')],
    { stdio: 'pipe' },
  );
  const packages = join(folder, 'Packages');
  mkdirSync(packages);
  for (const arch of readdirSync(join(folder, 'RPMS')))
    execFileSync('sh', ['-c', `mv RPMS/${arch}/*.rpm Packages/`], { cwd: folder });
  return readdirSync(packages).map((file) => join(packages, file));
};

/** An element without the white space between others. Of the time, that of the file is left out: it is that of the build here. */
const canonical = (element: XmlElement): unknown => {
  const { name: tag, attributes, children } = element;
  const inner = children.flatMap((child) => {
    if (child.type === 'element') return [canonical(child as XmlElement)];
    const { text = '' } = child as { text?: string };
    return text.trim() === '' ? [] : [text];
  });
  const kept = Object.entries(attributes).filter(([key]) => tag !== 'time' || key !== 'file');
  return [tag, Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1))), inner];
};

const elementsOf = (xml: string): XmlElement[] =>
  (parseXml(xml).root?.children ?? []).filter((child): child is XmlElement => child.type === 'element');

const childOf = (element: XmlElement, tag: string): XmlElement | undefined =>
  element.children.find((child): child is XmlElement => child.type === 'element' && (child as XmlElement).name === tag);

const pkgidOf = (element: XmlElement): string => element.attributes.pkgid ?? childOf(element, 'checksum')?.text ?? '';

/** What createrepo_c writes about each package, by its hash. */
const written = (type: keyof PackageTexts): ReadonlyMap<string, unknown> => {
  const repodata = join(folder, 'repodata');
  const file = readdirSync(repodata).find((each) => each.endsWith(`-${type}.xml.gz`)) ?? '';
  const xml = gunzipSync(readFileSync(join(repodata, file))).toString();
  return new Map(elementsOf(xml).map((element) => [pkgidOf(element), canonical(element)]));
};

const namespaces = 'xmlns="c" xmlns:rpm="r"';

/** What rpm's own Python reads of each package: the fields that our reader has of its header. */
const python = `
import json, rpm, sys
ts = rpm.TransactionSet(); ts.setVSFlags(-1)
def read(path):
    with open(path) as f: h = ts.hdrFromFdno(f)
    names = {'description': 'description', 'summary': 'summary', 'license': 'license', 'vendor': 'vendor', 'group': 'group', 'packager': 'packager', 'url': 'url', 'buildHost': 'buildhost', 'sourceRpm': 'sourcerpm', 'name': 'name', 'version': 'version', 'release': 'release', 'arch': 'arch'}
    found = {ours: h[theirs] or '' for ours, theirs in names.items()}
    found.update(epoch=str(h['epoch'] or 0), buildTime=h['buildtime'], installedSize=h['size'], files=sorted(h['filenames']))
    return found
print(json.dumps([read(path) for path in json.load(sys.stdin)]))`;

it(`${count} packages have the elements that createrepo_c writes, and the fields that rpm reads`, async () => {
  const files = built(fc.sample(part, { numRuns: count, seed: 36 }));
  expect(files.length).toBe(count);
  execFileSync('createrepo_c', ['--quiet', '--no-database', '--compress-type', 'gz', folder], { stdio: 'pipe' });
  const theirs = { primary: written('primary'), filelists: written('filelists'), other: written('other') };
  const fromPython = JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', python], { input: JSON.stringify(files), maxBuffer: 1 << 28 }).toString(),
  ) as Record<string, unknown>[];
  for (const [at, file] of files.entries()) {
    const bytes = readFileSync(file);
    const hash = sha256(bytes);
    const metadata = await readMetadata(fileInMemory(bytes));
    const texts = packageTexts(metadata, hash);
    for (const type of ['primary', 'filelists', 'other'] as const) {
      const [ours] = elementsOf(`<metadata ${namespaces}>${texts[type]}</metadata>`);
      expect([file, ours && canonical(ours)]).toEqual([file, theirs[type].get(hash)]);
    }
    const own = { ...metadata, files: metadata.files.map(({ path: each }) => each).toSorted() };
    expect([file, own]).toEqual([file, expect.objectContaining(fromPython[at] ?? {})]);
  }
  process.stderr.write(`rpm: ${files.length} packages\n`);
});
