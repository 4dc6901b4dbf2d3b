import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { compareVersions } from '../../functions/debian/versions.ts';

/** `npm run test:orders`: what apt itself says of versions. It needs the Python of the system with its module apt_pkg. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

const ask = (couples: readonly (readonly [string, string])[]): number[] => {
  const program =
    'import apt_pkg, json, sys; apt_pkg.init_system(); print(json.dumps([apt_pkg.version_compare(a, b) for a, b in json.load(sys.stdin)]))';
  const options = { input: JSON.stringify(couples), maxBuffer: 1 << 28 };
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', program], options).toString()) as number[];
};

const segment = fc.constantFrom('0', '00', '1', '01', '10', '9', '123456789', 'a', 'b', 'rc', 'A', 'Z', 'git');
const separator = fc.constantFrom('.', '', '+', '~', '~~', '..', '.~', '+~', '-', '~+');
const text = fc
  .tuple(segment, fc.array(fc.tuple(separator, segment), { maxLength: 4 }), fc.constantFrom('', '', '~', '+', '.'))
  .map(([first, others, end]) => first + others.flat().join('') + end);
const version = fc
  .tuple(
    fc.constantFrom('', '', '0:', '1:', '12:'),
    fc.constantFrom('0', '1', '9', '10'),
    text,
    fc.constantFrom('', '-1', '-0', '-1~bpo1', '-1+b1'),
  )
  .map((parts) => parts.join(''));

it('two versions have the order of apt', () => {
  const near = fc
    .tuple(version, fc.constantFrom('~', '+', '~rc1', '.0', '0', 'a', '.', '-1', ''))
    .map(([each, end]) => [each, each + end] as const);
  const couples = fc.sample(fc.oneof(fc.tuple(version, version), near), pairs);
  const theirs = ask(couples);
  const different = couples.filter(
    ([one, other], at) => Math.sign(compareVersions(one, other)) !== Math.sign(theirs[at] ?? Number.NaN),
  );
  expect(different).toEqual([]);
}, 300_000);
