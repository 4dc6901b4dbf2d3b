import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readMetadata } from '../../functions/debian/metadata.ts';
import { stanzaOf } from '../../functions/debian/stanzas.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { sha256 } from '../harness/bytes.ts';

/**
 * `npm run test:references`: what dpkg-deb and dpkg-scanpackages say of packages. Those that `REFERENCE_DEBS` has are read, too: by default,
 * those that apt has downloaded.
 */
jest.setTimeout(600_000);

const count = 200;
const folder = mkdtempSync(join(tmpdir(), 'stockroom-debs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const word = fc.stringMatching(/^[a-z0-9][a-z0-9+.-]{1,20}$/);
const version = fc
  .tuple(
    fc.option(fc.nat(9), { nil: undefined }),
    fc.stringMatching(/^[0-9][A-Za-z0-9.+~]{0,8}$/),
    fc.option(fc.stringMatching(/^[A-Za-z0-9.+~]{1,5}$/), { nil: undefined }),
  )
  .map(
    ([epoch, upstream, revision]) =>
      `${epoch === undefined ? '' : `${epoch}:`}${upstream}${revision === undefined ? '' : `-${revision}`}`,
  );
const line = fc.stringMatching(/^[A-Za-z0-9äé (>=.,)]{1,40}$/).map((text) => text.trim() || '-');

const control = fc.record({
  name: word,
  version,
  architecture: fc.constantFrom('all', 'amd64', 'arm64'),
  maintainer: line,
  depends: fc.array(word, { maxLength: 5 }),
  description: fc.array(line, { minLength: 1, maxLength: 4 }),
  more: fc.constantFrom(
    '',
    'Multi-Arch: foreign\n',
    'X-Custom: a\n b\n .\n c\n',
    'Section: utils\nPriority: optional\n',
  ),
  compression: fc.constantFrom('gzip', 'xz', 'zstd', 'none'),
});

type Control = typeof control extends fc.Arbitrary<infer T> ? T : never;

const controlText = (each: Control): string => {
  const [first = '', ...others] = each.description;
  const depends = each.depends.length > 0 ? `Depends: ${each.depends.join(',\n ')}\n` : '';
  return `Package: ${each.name}\nVersion: ${each.version}\nArchitecture: ${each.architecture}\nMaintainer: ${each.maintainer} <a@acme.example>\n${depends}${each.more}Description: ${first}\n${others.map((text) => ` ${text}\n`).join('')}`;
};

const built = (each: Control, number: number): string => {
  const tree = join(folder, `${number}`);
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  writeFileSync(join(tree, 'DEBIAN/control'), controlText(each));
  const file = join(folder, `${number}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', `-Z${each.compression}`, '--build', tree, file], { stdio: 'pipe' });
  return file;
};

const downloads = process.env.REFERENCE_DEBS ?? '/var/cache/apt/archives';
const downloaded = existsSync(downloads)
  ? readdirSync(downloads)
      .filter((name) => name.endsWith('.deb'))
      .map((name) => join(downloads, name))
  : [];

/** The fields of a paragraph, each with all of its lines, in any order. */
const fieldsOf = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split(/\n(?! )/)
    .toSorted();

const differences = async (file: string): Promise<readonly string[]> => {
  const bytes = readFileSync(file);
  const { fields } = await readMetadata(fileInMemory(bytes));
  const ours = stanzaOf(fields, { path: file, size: bytes.length, sha256: sha256(bytes) });
  const theirs = execFileSync('dpkg-deb', ['--field', file]).toString();
  const hash = execFileSync('sha256sum', [file]).toString().slice(0, 64);
  const expected = [...fieldsOf(theirs), `Filename: ${file}`, `Size: ${bytes.length}`, `SHA256: ${hash}`].toSorted();
  const found = fieldsOf(ours);
  return [...expected.filter((each) => !found.includes(each)), ...found.filter((each) => !expected.includes(each))].map(
    (each) => `${file}: ${each}`,
  );
};

it(`${count} packages that dpkg-deb made, and those that were downloaded, have the fields that it reads`, async () => {
  const made = fc.sample(control, { numRuns: count, seed: 36 }).map(built);
  const different: string[] = [];
  for (const file of [...made, ...downloaded]) different.push(...(await differences(file)));
  process.stderr.write(`debian: ${made.length} made and ${downloaded.length} downloaded packages\n`);
  expect(different).toEqual([]);
});
