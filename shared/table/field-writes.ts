import type { Key } from './keys.ts';
import type { Update } from './writes.ts';

type Values = Readonly<Record<`:${string}`, unknown>>;

/** What must hold of an item, with the values that it is compared with. */
export interface Condition {
  readonly if: string;
  readonly values: Values;
}

/** The item is there, or is not. */
export const isThere: Condition = { if: 'attribute_exists(pk)', values: {} };
export const isAbsent: Condition = { if: 'attribute_not_exists(pk)', values: {} };

/** The item has the field, or has not. */
export const isSet = (field: string): Condition => ({ if: `attribute_exists(#${field})`, values: {} });
export const isUnset = (field: string): Condition => ({ if: `attribute_not_exists(#${field})`, values: {} });

const compared = (field: string, operator: '=' | '<=' | '>', value: unknown): Condition => {
  const parts = field.split('.');
  const placeholder = `:is_${parts.join('_')}` as const;
  return {
    if: `${parts.map((part) => `#${part}`).join('.')} ${operator} ${placeholder}`,
    values: { [placeholder]: value },
  };
};

/** The field has this value; `blob.sha256` is a field in a field. Without a value, the item has no such field. */
export const equals = (field: string, value: unknown): Condition =>
  value === undefined ? isUnset(field) : compared(field, '=', value);
export const isAtMost = (field: string, value: number): Condition => compared(field, '<=', value);
export const isAbove = (field: string, value: number): Condition => compared(field, '>', value);

const joined = (word: 'AND' | 'OR', conditions: readonly (Condition | undefined)[]): Condition => {
  const real = conditions.filter((each) => each !== undefined);
  const texts = real.map((each) => (real.length > 1 && each.if.includes(' OR ') ? `(${each.if})` : each.if));
  return { if: texts.join(` ${word} `), values: Object.assign({}, ...real.map(({ values }) => values)) };
};

/** All conditions hold; those that are undefined do. */
export const allOf = (...conditions: readonly (Condition | undefined)[]): Condition => joined('AND', conditions);

/** One of the conditions holds. */
export const anyOf = (...conditions: readonly Condition[]): Condition => joined('OR', conditions);

/** What changes in the fields of an item. A field whose value is undefined stays as it is. */
export interface FieldChanges {
  readonly set?: object;
  /** Set unless the item has them. */
  readonly setOnce?: object;
  /** Numbers to add, and members of sets; a field that the item has not counts as 0, or as an empty set. */
  readonly add?: Readonly<Record<string, number | ReadonlySet<string> | undefined>>;
  readonly remove?: readonly string[];
}

const present = (fields: object = {}): [string, unknown][] =>
  Object.entries(fields).filter(([, value]) => value !== undefined);

/** The write that changes fields of an item, under a condition if there is one. It makes the item unless a condition asks for it. */
export const setFields = (
  key: Key,
  { set, setOnce, add, remove = [] }: FieldChanges,
  condition: Condition = { if: '', values: {} },
): Update => {
  const changed = [...present(set), ...present(setOnce), ...present(add)];
  const names = [...changed.map(([name]) => name), ...remove];
  // A field such as `tag:latest` needs another placeholder than its name.
  const wordOf = (name: string): string => (/^\w+$/.test(name) ? name : `field${names.indexOf(name)}`);
  const clause = (word: string, parts: readonly string[]): string[] =>
    parts.length > 0 ? [`${word} ${parts.join(', ')}`] : [];
  const assigned = [
    ...present(set).map(([name]) => `#${wordOf(name)} = :${wordOf(name)}`),
    ...present(setOnce).map(([name]) => `#${wordOf(name)} = if_not_exists(#${wordOf(name)}, :${wordOf(name)})`),
  ];
  const odd = names.filter((name) => wordOf(name) !== name);
  return {
    update: key,
    set: [
      ...clause('SET', assigned),
      ...clause(
        'REMOVE',
        remove.map((name) => `#${wordOf(name)}`),
      ),
      ...clause(
        'ADD',
        present(add).map(([name]) => `#${wordOf(name)} :${wordOf(name)}`),
      ),
    ].join(' '),
    ...(condition.if !== '' && { if: condition.if }),
    names: Object.fromEntries(odd.map((name) => [`#${wordOf(name)}`, name])),
    values: { ...Object.fromEntries(changed.map(([name, value]) => [`:${wordOf(name)}`, value])), ...condition.values },
  };
};
