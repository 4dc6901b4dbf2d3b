import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { compareEvrs, type Evr } from '../../functions/rpm/versions.ts';

/** `npm run test:orders`: what rpm itself says of versions. It needs the Python of the system with its module rpm. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

const ask = (couples: readonly (readonly [Evr, Evr])[]): number[] => {
  const program =
    'import json, rpm, sys; print(json.dumps([rpm.labelCompare(tuple(a), tuple(b)) for a, b in json.load(sys.stdin)]))';
  const input = couples.map((couple) => couple.map(({ epoch, version, release }) => [epoch, version, release]));
  const options = { input: JSON.stringify(input), maxBuffer: 1 << 28 };
  return JSON.parse(execFileSync('/usr/bin/python3', ['-c', program], options).toString()) as number[];
};

const segment = fc.constantFrom(
  '0',
  '00',
  '1',
  '01',
  '10',
  '9',
  '123456789012345678901',
  'a',
  'b',
  'rc',
  'A',
  'Z',
  'git',
);
const separator = fc.constantFrom('.', '', '_', '+', '~', '^', '~~', '^^', '..', '.~', '.^', '~^');
const text = fc
  .tuple(segment, fc.array(fc.tuple(separator, segment), { maxLength: 4 }), fc.constantFrom('', '', '~', '^', '.'))
  .map(([first, others, end]) => first + others.flat().join('') + end);
const evr = fc.record({ epoch: fc.constantFrom('0', '0', '1', '12'), version: text, release: text });

it('two builds have the order of rpm.labelCompare', () => {
  const near = fc
    .tuple(evr, fc.constantFrom('~', '^', '~rc1', '^git1', '.0', '0', 'a', '.', '_1', ''))
    .map(([each, end]) => [each, { ...each, version: each.version + end }] as const);
  const couples = fc.sample(fc.oneof(fc.tuple(evr, evr), near), pairs);
  const theirs = ask(couples);
  const different = couples.filter(([one, other], at) => Math.sign(compareEvrs(one, other)) !== theirs[at]);
  expect(different).toEqual([]);
}, 300_000);
