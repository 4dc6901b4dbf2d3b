import { Ajv } from 'ajv';
import { array, type ObjectSchema, object, type Schema, schema } from '../../../shared/http/schema.ts';
import { allowedBy, fieldName, type Validator, violationsOf } from '../../../shared/http/validation.ts';

const level = schema({ type: 'string', enum: ['canView', 'canDeploy'] });
const shape = object(
  {
    name: schema({ type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5, allowed: '2 to 5 letters' }),
    enabled: schema({ type: 'boolean' }),
    seconds: schema({ type: ['integer', 'null'], minimum: 0, maximum: 60 }),
    grants: array(object({ reference: schema({ type: 'string', maxLength: 3 }), level }), { minItems: 1, maxItems: 2 }),
  },
  ['enabled', 'seconds', 'grants'],
);

const compile = (of: ObjectSchema): Validator => {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, validateFormats: false });
  ajv.addVocabulary(['allowed']);
  return ajv.compile(of) as Validator;
};
const validate = compile(shape);

const told = (value: unknown): Record<string, string> =>
  Object.fromEntries(violationsOf(validate, shape, value).map(({ pointer, message }) => [pointer, message]));

describe('a violation', () => {
  it('is one sentence for each field, however many rules it breaks', () => {
    const violations = violationsOf(validate, shape, { name: 'TOO LONG' });
    expect(violations.map(({ message }) => message)).toEqual(['name must be 2 to 5 letters.']);
  });

  it('is told for every field at once, in nested objects too', () => {
    const grants = [{ reference: 'abcd', level: 'canFly' }, { extra: 1 }, {}];
    expect(told({ enabled: 'true', seconds: 1.5, grants, 'a~/b': null })).toEqual({
      '/name': 'name is required: it must be 2 to 5 letters.',
      '/enabled': 'enabled must be true or false.',
      '/seconds': 'seconds must be a whole number from 0 to 60, or null.',
      '/grants': 'grants must be an array of 1 to 2 items.',
      '/grants/0/reference': 'grants[0].reference must be a string of at most 3 characters.',
      '/grants/0/level': 'grants[0].level must be one of canView or canDeploy.',
      '/grants/1/reference': 'grants[1].reference is required: it must be a string of at most 3 characters.',
      '/grants/1/level': 'grants[1].level is required: it must be one of canView or canDeploy.',
      '/grants/1/extra': 'grants[1].extra is not a field of this request. The fields are reference and level.',
      '/grants/2/reference': 'grants[2].reference is required: it must be a string of at most 3 characters.',
      '/grants/2/level': 'grants[2].level is required: it must be one of canView or canDeploy.',
      '/a~0~1b': 'a~/b is not a field of this request. The fields are name, enabled, seconds and grants.',
    });
  });

  it('lists the fields that there are only once for each kind of object', () => {
    const grants = [
      { reference: 'a', level: 'canView', x: 1, y: 1 },
      { reference: 'b', level: 'canView', z: 1 },
    ];
    expect(told({ name: 'abc', grants, other: 1 })).toEqual({
      '/grants/0/x': 'grants[0].x is not a field of this request. The fields are reference and level.',
      '/grants/0/y': 'grants[0].y is not a field of this request.',
      '/grants/1/z': 'grants[1].z is not a field of this request.',
      '/other': 'other is not a field of this request. The fields are name, enabled, seconds and grants.',
    });
  });

  it('is none for a value that the schema accepts', () => {
    expect(told({ name: 'abc', seconds: null, grants: [{ reference: 'a', level: 'canView' }] })).toEqual({});
  });

  it.each([
    [[], 'The request body must be an object.'],
    [{ name: 'abc', grants: [null] }, 'grants[0] must be an object.'],
    [{ name: 'abc', grants: 'x' }, 'grants must be an array of 1 to 2 items.'],
    [{ name: null }, 'name must be 2 to 5 letters.'],
    [{ name: 'abc', seconds: 61 }, 'seconds must be a whole number from 0 to 60, or null.'],
    [{ name: 'abc', seconds: '1' }, 'seconds must be a whole number from 0 to 60, or null.'],
    [{ name: 'abc', enabled: 1 }, 'enabled must be true or false.'],
  ])('names the field and what is allowed: %j', (value, message) => {
    expect(Object.values(told(value))).toEqual([message]);
  });

  it('cuts the name of an unknown field that is very long', () => {
    const [message = ''] = Object.values(told({ name: 'abc', ['x'.repeat(60_000)]: 1 }));
    expect(message.length).toBeLessThan(250);
  });
});

describe('what is allowed', () => {
  it.each<[Schema, string]>([
    [{ type: 'string' }, 'a string'],
    [{ type: 'string', minLength: 1 }, 'a string of at least 1 character'],
    [{ type: 'string', minLength: 1, maxLength: 100 }, 'a string of 1 to 100 characters'],
    [{ type: ['string', 'null'], maxLength: 30 }, 'a string of at most 30 characters, or null'],
    [{ type: 'string', format: 'uuid' }, 'a UUID'],
    [{ type: 'integer' }, 'a whole number'],
    [{ type: 'integer', minimum: 1 }, 'a whole number of at least 1'],
    [{ type: 'string', enum: ['a', 'b', 'c'] }, 'one of a, b or c'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 5 }, 'an array of at most 5 items'],
  ])('is said in words: %j', (of, words) => {
    expect(allowedBy(of)).toBe(words);
  });
});

describe('a pointer', () => {
  it.each([
    ['/repositories/3/name', 'repositories[3].name'],
    ['/a~1b', 'a/b'],
    ['/a~01', 'a~1'],
    ['', ''],
  ])('is written as people write it: %s', (pointer, name) => {
    expect(fieldName(pointer)).toBe(name);
  });
});
