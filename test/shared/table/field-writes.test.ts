import { randomUUID } from 'node:crypto';
import { Table } from '../../../shared/table/client.ts';
import {
  allOf,
  anyOf,
  type Condition,
  equals,
  type FieldChanges,
  isAbove,
  isAbsent,
  isAtMost,
  isSet,
  isThere,
  isUnset,
  setFields,
} from '../../../shared/table/field-writes.ts';
import type { Key } from '../../../shared/table/keys.ts';
import { useService } from '../../harness/service.ts';

useService();

let key: Key<object>;
beforeEach(() => {
  key = { pk: `FIELDS#${randomUUID()}`, sk: 'FIELDS' };
});

const write = async (changes: FieldChanges, condition?: Condition): Promise<'written' | 'refused'> =>
  (await new Table().writeUnrecorded([setFields(key, changes, condition)])) ? 'refused' : 'written';

const held = async (): Promise<object | undefined> => {
  const { pk: _, sk: __, ...fields } = { pk: '', sk: '', ...(await new Table().read([key])).find(key) };
  return fields;
};

describe('setFields', () => {
  it('sets, sets once, adds and removes in one write, also fields with other names than placeholders may have', async () => {
    await write({ setOnce: { createdAt: 'then' }, set: { 'tag:latest': '1.0.0', old: 1 }, add: { revision: 1 } });
    await write({
      setOnce: { createdAt: 'now' },
      set: { 'tag:latest': '2.0.0', 'tag:a-b.c': '1.0.0', updatedAt: 'now' },
      add: { revision: 1 },
      remove: ['old'],
    });
    const expected = { createdAt: 'then', 'tag:latest': '2.0.0', 'tag:a-b.c': '1.0.0', updatedAt: 'now', revision: 2 };
    expect(await held()).toEqual(expected);
    await write({ remove: ['tag:latest', 'tag:a-b.c', 'createdAt'] });
    expect(await held()).toEqual({ updatedAt: 'now', revision: 2 });
  });

  it('leaves a field as it is whose value is undefined', async () => {
    await write({ set: { name: 'a' }, add: { count: 0, bytes: undefined } });
    await write({ set: { name: undefined, other: 'b' } });
    expect(await held()).toEqual({ name: 'a', other: 'b', count: 0 });
  });
});

describe('A condition', () => {
  const item = { revision: 3, blob: { sha256: 'ab' } };

  it.each<[string, Condition, boolean]>([
    ['isThere', isThere, true],
    ['isAbsent', isAbsent, false],
    ['isSet', isSet('blob'), true],
    ['isUnset', isUnset('blob'), false],
    ['equals', equals('revision', 3), true],
    ['equals another value', equals('revision', 4), false],
    ['equals a field in a field', equals('blob.sha256', 'ab'), true],
    ['equals nothing', equals('blob', undefined), false],
    ['equals nothing, rightly', equals('deletedAt', undefined), true],
    ['isAtMost', isAtMost('revision', 3), true],
    ['isAtMost less', isAtMost('revision', 2), false],
    ['isAbove', isAbove('revision', 2), true],
    ['isAbove the same', isAbove('revision', 3), false],
    ['allOf', allOf(isThere, undefined, equals('revision', 3)), true],
    ['allOf with one that does not hold', allOf(isThere, equals('revision', 4)), false],
    ['anyOf', anyOf(isAbsent, equals('revision', 3)), true],
    ['anyOf in allOf', allOf(anyOf(isThere, isAbsent), isUnset('revision')), false],
    ['allOf in anyOf', anyOf(isAbsent, allOf(isSet('blob'), equals('blob.sha256', 'cd'))), false],
    ['allOf nothing', allOf(undefined), true],
  ])('%s', async (_, condition, holds) => {
    await write({ set: item });
    expect(await write({ set: { revision: 3 } }, condition)).toBe(holds ? 'written' : 'refused');
  });
});
