import fc from 'fast-check';
import { codePoint } from '../../harness/bytes.ts';

/** Texts that are nearly module paths. */
const elements = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9._~-]{1,8}$/),
  fc.constantFrom(
    'v1',
    'v2',
    'v02',
    'v10',
    'v2.3',
    'nul',
    'Com1.x',
    'a~1',
    'a~1.b',
    'a~x1',
    '.a',
    'a.',
    '-a',
    'é',
    'a b',
  ),
  fc.constantFrom('', 'x.v1', 'x.v0', 'x.v01', 'y.v2-unstable', 'y.v0-unstable'),
);
const hosts = fc.constantFrom(
  'corp.example',
  'gopkg.in',
  'gopkg.in/user',
  'example',
  'Corp.example',
  '-x.y',
  'a_b.c',
  'con.x',
  '',
);
export const modulePaths = fc
  .tuple(hosts, fc.array(elements, { maxLength: 3 }))
  .map(([host, rest]) => [host, ...rest].join('/'));

const numbers = fc.constantFrom('0', '1', '2', '9', '10', '01', '99999999999999999999', '');
const goodNumbers = fc.constantFrom('0', '1', '2', '9', '10', '99999999999999999999');
const goodIdentifiers = fc.constantFrom(
  '0',
  '1',
  '10',
  'rc',
  'RC',
  'a-b',
  '-',
  '0a',
  '20260102030405-abcdef',
  '99999999999999999999',
);
const identifiers = fc.oneof(goodIdentifiers, fc.constantFrom('01', '', '0.20260102030405-abcdef', 'é'));

/** Texts that are nearly versions, or are some. */
export const versions = fc.oneof(
  fc
    .tuple(
      fc.array(numbers, { minLength: 1, maxLength: 4 }),
      fc.array(identifiers, { maxLength: 3 }),
      fc.constantFrom('', '', '+incompatible', '+meta', '+'),
    )
    .map(([core, rest, build]) => `v${core.join('.')}${rest.length > 0 ? `-${rest.join('.')}` : ''}${build}`),
  fc
    .tuple(
      fc.tuple(goodNumbers, goodNumbers, goodNumbers),
      fc.array(goodIdentifiers, { maxLength: 3 }),
      fc.constantFrom('', '+incompatible'),
    )
    .map(([core, rest, build]) => `v${core.join('.')}${rest.length > 0 ? `-${rest.join('.')}` : ''}${build}`),
);

const fileElements = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 4 }),
  fc.constantFrom('go.mod', 'a b', 'é', 'ß', 'Nul', 'nul.txt', 'a.', '.', '..', '...', '.git', "it's", 'x:y', 'x*'),
  fc.constantFrom('日本', '①', 'a\\b', '!x', 'x@y'),
);
export const filePaths = fc.array(fileElements, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
