import fc from 'fast-check';

const number = fc.oneof(
  fc.constantFrom('0', '1', '2', '10', '007', '99999', '123456', '9007199254740993'),
  fc.nat(30).map(String),
);
const stability = fc.constantFrom('', 'alpha', 'a', 'beta', 'b', 'RC', 'rc', 'stable', 'STABLE', 'patch', 'pl', 'p');
const separator = fc.constantFrom('', '.', '-', '_');

const numbers = fc.array(number, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));

const modifier = fc
  .tuple(
    separator,
    stability,
    fc.constantFrom('', '1', '.2', '-3', '12.5', '0'),
    fc.constantFrom('', 'dev', '-dev', '.DEV'),
  )
  .map((parts) => parts.join(''));

const numbered = fc
  .tuple(fc.constantFrom('', 'v', 'V'), numbers, modifier, fc.constantFrom('', '', '+build.1', '+'))
  .map((parts) => parts.join(''));

const date = fc
  .tuple(
    fc.constantFrom(
      '2010',
      '1999',
      '20100102',
      '2010-01-02',
      '2010.01.02',
      '20100102-203040',
      '201903.0',
      '2019:05:06:12',
    ),
    modifier,
  )
  .map((parts) => parts.join(''));

const branches = fc.oneof(
  fc.constantFrom(
    'dev-main',
    'dev-feature/x',
    'DEV-Main',
    'master',
    'trunk',
    'default',
    '1.x-dev',
    '2.*-dev',
    '1.2.X.dev',
    'foo-dev',
    'x-dev',
  ),
  numbers.map((text) => `${text}-dev`),
  numbers.map((text) => `v${text}.x-dev`),
);

const flagged = fc
  .tuple(numbered, fc.constantFrom('@dev', '@beta', ' as 1.0', ' as dev-x', '@RC'))
  .map((parts) => parts.join(''));

/** Texts that are versions of Composer, and some that are nearly. */
export const versions = fc.oneof(numbered, date, branches, flagged);

/** Texts of the letters that versions have. */
export const anything = fc.string({ unit: fc.constantFrom(...Array.from('0129.-_+vVxX*abdeprlRC@ /')), maxLength: 14 });
