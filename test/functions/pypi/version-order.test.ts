import { isPrerelease, sortedVersions } from '../../../functions/pypi/version-order.ts';

/** From the lowest to the highest, as the packaging library of Python sorts them. */
const inOrder = [
  '0.9',
  '1.0.dev1',
  '1.0a1.dev1',
  '1.0a1',
  '1.0a2',
  '1.0a10',
  '1.0b1',
  '1.0rc1',
  '1.0',
  '1.0+abc',
  '1.0+abc.5',
  '1.0+5',
  '1.0+10',
  '1.0.post1.dev1',
  '1.0.post1',
  '1.0.1',
  '1.1',
  '1.10',
  '2.0',
  `2.${'9'.repeat(100)}`,
  '1!0.1',
];

it('versions are in the order of PEP 440, wherever they begin', () => {
  expect(sortedVersions(inOrder.toReversed())).toEqual(inOrder);
  for (const shift of inOrder.keys())
    expect(sortedVersions([...inOrder.slice(shift), ...inOrder.slice(0, shift)])).toEqual(inOrder);
});

it('versions that differ in zeros at their end are equal, and keep their places', () => {
  expect(sortedVersions(['1.0.0', '1', '1.0'])).toEqual(['1.0.0', '1', '1.0']);
});

it('pre-releases and development releases are no releases; a local version says nothing of that', () => {
  expect(inOrder.filter(isPrerelease)).toEqual([
    '1.0.dev1',
    '1.0a1.dev1',
    '1.0a1',
    '1.0a2',
    '1.0a10',
    '1.0b1',
    '1.0rc1',
    '1.0.post1.dev1',
  ]);
  expect(isPrerelease('1.0+dev.a1')).toBe(false);
});
