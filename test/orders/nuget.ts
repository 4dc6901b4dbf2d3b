import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { compareVersions, fullText, type NupkgVersion, parseVersion } from '../../shared/packages/nupkg/versions.ts';
import { nugetClient, nugetVariables, prepareNugetClient } from '../clients/drivers/nuget-protocol.ts';

/** `npm run test:orders`: what NuGet.Versioning itself says of versions. Its library comes from PyPI at the first run, and needs `mcs`. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

const number = fc.constantFrom('0', '00', '1', '01', '2', '10', '2147483647', '2147483648');
const label = fc.constantFrom('0', '1', '01', '-1', '-', '10', 'a', 'A', 'b', 'rc1', 'RC2', '1a', '4294967296', 'a-b');
const labels = fc.array(label, { minLength: 1, maxLength: 3 }).map((all) => all.join('.'));
const versions = fc
  .tuple(
    fc.array(number, { minLength: 1, maxLength: 4 }),
    fc.option(labels, { nil: undefined }),
    fc.option(labels, { nil: undefined }),
  )
  .map(
    ([numbers, prerelease, build]) =>
      numbers.join('.') + (prerelease === undefined ? '' : `-${prerelease}`) + (build === undefined ? '' : `+${build}`),
  );
const anything = fc.string({ unit: fc.constantFrom(...'012.-+aB_v'.split('')), maxLength: 8 });
const texts = fc.oneof({ weight: 9, arbitrary: versions }, { weight: 1, arbitrary: anything });

const written = (version: NupkgVersion | undefined): string => (version ? fullText(version) : '');

const orderOf = (one: NupkgVersion | undefined, other: NupkgVersion | undefined): string =>
  one && other ? `${Math.sign(compareVersions(one, other))}` : '';

it('two versions have the normal forms and the order of NuGet.Versioning, and nothing else is a version', async () => {
  await prepareNugetClient();
  const couples = fc.sample(fc.tuple(texts, texts), pairs);
  const options = {
    input: couples.map((couple) => `${couple.join('\t')}\n`).join(''),
    maxBuffer: 1 << 28,
    env: { ...process.env, ...nugetVariables },
  };
  const theirs = execFileSync(nugetClient, ['versions'], options).toString().split('\n').slice(0, -1);
  const ours = couples.map(([one, other]) => {
    const [first, second] = [parseVersion(one), parseVersion(other)];
    return [written(first), written(second), orderOf(first, second)].join('\t');
  });
  const different = couples.flatMap((couple, at) => (ours[at] === theirs[at] ? [] : [[couple, ours[at], theirs[at]]]));
  expect(different).toEqual([]);
  expect(new Set(theirs.map((line) => line.split('\t')[2]))).toEqual(new Set(['', '-1', '0', '1']));
}, 600_000);
