import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { isConstraint } from '../../functions/composer/constraints.ts';
import { compareNormalized, isDevelopment, normalize, versionOf } from '../../functions/composer/versions.ts';
import { constraints, nearConstraints, noConstraints } from '../functions/composer/constraints.ts';
import { anything, versions } from '../functions/composer/specification.ts';

/** `npm run test:orders`: what Composer\Semver itself says of versions. It needs php with composer of the system. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);
const semver = process.env.COMPOSER_SEMVER ?? '/usr/share/php/Composer/Semver/autoload.php';

const ask = (script: string, input: unknown): unknown => {
  const options = { input: JSON.stringify(input), maxBuffer: 1 << 28 };
  const program = `require ${JSON.stringify(semver)}; $in = json_decode(stream_get_contents(STDIN)); ${script}`;
  return JSON.parse(execFileSync('php', ['-r', program], options).toString());
};

const texts = fc.sample(fc.oneof(versions, anything), pairs).filter((text) => text.length <= 150);

it('every version has the normal form and the stability of Composer\\Semver, and nothing else is a version', () => {
  const script = `$parser = new Composer\\Semver\\VersionParser(); $out = [];
    foreach ($in as $text) {
      try {
        $normal = $parser->normalize($text);
        $out[] = [$normal, Composer\\Semver\\VersionParser::parseStability($normal) === 'dev'];
      } catch (UnexpectedValueException $e) { $out[] = null; }
    }
    echo json_encode($out);`;
  const theirs = ask(script, texts) as ([string, boolean] | null)[];
  const different = texts
    .map((text, at) => {
      const normal = normalize(text);
      return [text, normal === undefined ? null : [normal, isDevelopment(versionOf(normal))], theirs[at]] as const;
    })
    .filter(([, ours, their]) => JSON.stringify(ours) !== JSON.stringify(their));
  expect(different).toEqual([]);
  expect(texts.filter((text) => normalize(text) !== undefined).length).toBeGreaterThan(pairs / 4);
}, 300_000);

it('two versions have the order of Composer\\Semver, and two normal forms never one short form', () => {
  const normal = texts.flatMap((text) => normalize(text) ?? []);
  const couples = fc.sample(fc.tuple(fc.constantFrom(...normal), fc.constantFrom(...normal)), pairs);
  const script = `use Composer\\Semver\\Comparator; $out = [];
    foreach ($in as [$a, $b]) $out[] = Comparator::lessThan($a, $b) ? -1 : (Comparator::greaterThan($a, $b) ? 1 : 0);
    echo json_encode($out);`;
  const theirs = ask(script, couples) as number[];
  // Branches have no order there.
  const isOrdered = ([one, other]: readonly [string, string]) => !(one.startsWith('dev-') && other.startsWith('dev-'));
  const different = couples.filter(
    (couple, at) => isOrdered(couple) && Math.sign(compareNormalized(...couple)) !== theirs[at],
  );
  expect(different).toEqual([]);
  const shorts = new Map(normal.map((each) => [versionOf(each), each]));
  expect(normal.filter((each) => shorts.get(versionOf(each)) !== each)).toEqual([]);
}, 300_000);

it('what Composer\\Semver reads is a constraint, and nothing else', () => {
  const all = [...constraints, ...noConstraints, ...fc.sample(nearConstraints, pairs)];
  const script = `$parser = new Composer\\Semver\\VersionParser(); $out = [];
    foreach ($in as $text) {
      try { $parser->parseConstraints($text); $out[] = true; } catch (UnexpectedValueException $e) { $out[] = false; }
    }
    echo json_encode($out);`;
  const theirs = ask(script, all) as boolean[];
  expect(all.filter((text, at) => isConstraint(text) !== theirs[at])).toEqual([]);
  expect(theirs.filter(Boolean).length).toBeGreaterThan(pairs / 10);
  expect(constraints.every(isConstraint) && !noConstraints.some(isConstraint)).toBe(true);
}, 300_000);
