import { readMetadata, withoutIndexFields } from '../../../functions/helm/metadata.ts';
import { refusalOf } from '../../harness/format-refusals.ts';

const read = (fields: object) => readMetadata({ name: 'a', version: '1.0.0', ...fields });

describe('Chart.yaml', () => {
  it('keeps all that it says, and gives helm a text where it expects one', () => {
    const fields = {
      appVersion: 1.2,
      kubeVersion: true,
      keywords: [1, 'two'],
      annotations: { 'a/b': 3 },
      maintainers: [{ name: 4, unknown: { x: 1 } }],
      dependencies: [{ name: 'b', version: 1, tags: [2], enabled: true, 'import-values': [{ child: 1 }] }],
      home: null,
      unknown: [1, { deep: null }],
    };
    expect(read(fields)).toEqual({
      name: 'a',
      version: '1.0.0',
      appVersion: '1.2',
      kubeVersion: 'true',
      keywords: ['1', 'two'],
      annotations: { 'a/b': '3' },
      maintainers: [{ name: '4', unknown: { x: 1 } }],
      dependencies: [{ name: 'b', version: '1', tags: ['2'], enabled: true, 'import-values': [{ child: 1 }] }],
      home: null,
      unknown: [1, { deep: null }],
    });
    // helm reads the names of fields in any case.
    expect(read({ AppVersion: 2 })).toMatchObject({ AppVersion: '2' });
  });

  it.each([
    [{ keywords: 'one' }, '/keywords type'],
    [{ appVersion: [1] }, '/appVersion type'],
    [{ deprecated: 'yes' }, '/deprecated type'],
    [{ annotations: ['a'] }, '/annotations type'],
    [{ annotations: { a: {} } }, '/annotations/a type'],
    [{ maintainers: [null] }, '/maintainers/0 type'],
    [{ dependencies: [{ tags: {} }] }, '/dependencies/0/tags type'],
    [{ version: '' }, '/version required'],
    [{ name: null }, '/name required'],
    [{ Version: [], name: {} }, '/name type, /Version type'],
  ])('is refused where helm could not read it: %j', (fields, pointers) => {
    expect(refusalOf(() => read(fields))).toContain(pointers.split(',')[0]);
  });

  it('cannot say where its file is, or that it was removed', () => {
    const metadata = read({ urls: [], URLs: ['x'], digest: 'x', created: 'x', removed: true, type: 'library' });
    expect(withoutIndexFields(metadata)).toEqual({ name: 'a', version: '1.0.0', type: 'library' });
  });
});
