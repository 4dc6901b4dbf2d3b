import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { isFilePath } from '../../functions/go/file-names.ts';
import { fitsPathMajor, modulePathProblem } from '../../functions/go/module-paths.ts';
import { compareVersions, isCanonical, isPseudoVersion } from '../../functions/go/versions.ts';
import { filePaths, modulePaths, versions } from '../functions/go/generated.ts';

/** `npm run test:orders`: needs go, which fetches golang.org/x/mod. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

/** What golang.org/x/mod says. */
interface Answer {
  readonly Order: number;
  readonly IsCanonical: readonly [boolean, boolean];
  readonly IsPseudo: readonly [boolean, boolean];
  readonly IsModule: boolean;
  readonly Fits: boolean;
  readonly IsFile: boolean;
}

/** Node knows letters of a newer Unicode than Go: these characters, from Latin to Armenian, are older than both. */
const agedPaths = filePaths.map((path) =>
  path.replaceAll(/[^\0-\x7f]/gu, (character) =>
    String.fromCodePoint(0xa1 + ((character.codePointAt(0) ?? 0) % 0x4b0)),
  ),
);

const folder = mkdtempSync(join(tmpdir(), 'stockroom-orders-'));
const program = join(folder, 'program');

beforeAll(async () => {
  copyFileSync(join(__dirname, 'go-module.go'), join(folder, 'main.go'));
  writeFileSync(join(folder, 'go.mod'), 'module orders.example\n\ngo 1.21\n\nrequire golang.org/x/mod v0.17.0\n');
  const options = { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } };
  await promisify(execFile)('go', ['build', '-o', program, '.'], options);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

const answersOf = async (questions: readonly object[]): Promise<Answer[]> => {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const lines = (await text(child.stdout)).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Answer);
};

it('golang.org/x/mod agrees on the order of versions, and on what is a version, a module path and the path of a file', async () => {
  const canonicals = versions.filter(isCanonical);
  const generated = fc.sample(
    fc.tuple(fc.oneof(canonicals, versions), fc.oneof(canonicals, versions), modulePaths, agedPaths),
    pairs,
  );
  const answers = await answersOf(
    generated.map(([one, other, path, file]) => ({ Versions: [one, other], Path: path, File: file })),
  );
  expect(answers).toHaveLength(pairs);
  let ordered = 0;
  for (const [index, answer] of answers.entries()) {
    const [one = '', other = '', path = '', file = ''] = generated[index] ?? [];
    const areVersions = isCanonical(one) && isCanonical(other);
    const isModule = modulePathProblem(path) === undefined;
    ordered += Number(areVersions);
    expect([
      one,
      other,
      path,
      file,
      {
        Order: areVersions ? Math.sign(compareVersions(one, other)) : answer.Order,
        IsCanonical: [isCanonical(one), isCanonical(other)],
        IsPseudo: [one, other].map((each, at) => (isCanonical(each) ? isPseudoVersion(each) : answer.IsPseudo[at])),
        IsModule: isModule,
        Fits: isModule && isCanonical(one) ? fitsPathMajor(path, one) : answer.Fits,
        IsFile: isFilePath(file),
      },
    ]).toEqual([one, other, path, file, answer]);
  }
  expect(ordered).toBeGreaterThan(pairs / 4);
}, 120_000);
