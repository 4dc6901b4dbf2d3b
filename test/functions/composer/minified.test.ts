import fc from 'fast-check';
import { expandedVersions, minifiedText } from '../../../functions/composer/minified.ts';
import { versionsOf } from '../../types/composer.ts';

const member = fc.oneof(
  fc.constantFrom('a', 'b', ''),
  fc.constant({}),
  fc.constant([]),
  fc.constant({ php: '>=8' }),
  fc.constant(null),
);
const lists = fc.array(fc.dictionary(fc.constantFrom('version', 'require', 'extra', 'constructor'), member), {
  maxLength: 6,
});

describe('a minified document', () => {
  it('has all that its versions have, for a client and for this service', () => {
    fc.assert(
      fc.property(lists, (versions) => {
        const text = minifiedText(versions);
        const document = `{"packages":{"a/b":${text}},"minified":"composer/2.0"}`;
        const plain = JSON.parse(JSON.stringify(versions)) as unknown;
        expect(JSON.parse(JSON.stringify(versionsOf(document, 'a/b')))).toEqual(plain);
        expect(JSON.parse(JSON.stringify(expandedVersions(JSON.parse(text) as unknown[], true)))).toEqual(plain);
        const again = minifiedText(expandedVersions(JSON.parse(text) as unknown[], true));
        expect(JSON.parse(again)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('has only what differs from the version before', () => {
    const versions = [
      { name: 'a/b', version: '2', require: { php: '8' }, bin: ['x'] },
      { name: 'a/b', version: '1', require: { php: '8' } },
      { name: 'a/b', version: '0', require: {}, bin: ['x'] },
    ];
    expect(JSON.parse(minifiedText(versions))).toEqual([
      versions[0],
      { version: '1', bin: '__unset' },
      { version: '0', require: {}, bin: ['x'] },
    ]);
  });

  it('that is whole stays as it is', () => {
    const versions = [{ version: '2', bin: '__unset' }, { version: '1' }];
    expect(expandedVersions(versions, false)).toEqual(versions);
  });

  it('takes the empty list of PHP for no difference, and nothing else', () => {
    expect(expandedVersions([{ version: '1' }, []], true)).toEqual([{ version: '1' }, { version: '1' }]);
    for (const other of [null, 'x', [1]]) expect(() => expandedVersions([other], true)).toThrow('is no object');
  });
});
