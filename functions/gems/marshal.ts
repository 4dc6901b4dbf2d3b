// A writer of Ruby's Marshal format 4.8 (docs.ruby-lang.org/en/3.4/marshal_rdoc.html). It writes no links: whoever reads it gets equal objects.

/** A whole number up to 30 bits. */
const integer = (value: number): Buffer => {
  if (value === 0) return Buffer.from([0]);
  if (value < 123) return Buffer.from([value + 5]);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  return Buffer.from([bytes.length, ...bytes]);
};

const sized = (bytes: Uint8Array): Buffer => Buffer.concat([integer(bytes.length), bytes]);

/** A value in its Marshal form. */
export type Marshalled = Buffer;

export const nil: Marshalled = Buffer.from('0');
export const yes: Marshalled = Buffer.from('T');
export const no: Marshalled = Buffer.from('F');

export const number = (value: number): Marshalled => Buffer.concat([Buffer.from('i'), integer(value)]);

export const symbol = (name: string): Marshalled => Buffer.concat([Buffer.from(':'), sized(Buffer.from(name))]);

/** What says of a text that it is UTF-8. */
const isUtf8 = Buffer.concat([integer(1), symbol('E'), yes]);

export const text = (value: string): Marshalled =>
  Buffer.concat([Buffer.from('I"'), sized(Buffer.from(value)), isUtf8]);

export const list = (items: readonly Marshalled[]): Marshalled =>
  Buffer.concat([Buffer.from('['), integer(items.length), ...items]);

export const hash = (members: readonly (readonly [Marshalled, Marshalled])[]): Marshalled =>
  Buffer.concat([Buffer.from('{'), integer(members.length), ...members.flat()]);

/** An object of a class with its instance variables. */
export const object = (of: string, variables: Readonly<Record<string, Marshalled>>): Marshalled => {
  const members = Object.entries(variables).flatMap(([name, value]) => [symbol(`@${name}`), value]);
  return Buffer.concat([Buffer.from('o'), symbol(of), integer(members.length / 2), ...members]);
};

/** An object of a class that makes itself of a value (`marshal_load`). */
export const madeOf = (of: string, value: Marshalled): Marshalled =>
  Buffer.concat([Buffer.from('U'), symbol(of), value]);

/** An object of a class that makes itself of bytes (`_load`). */
export const madeOfBytes = (of: string, bytes: Uint8Array): Marshalled =>
  Buffer.concat([Buffer.from('u'), symbol(of), sized(bytes)]);

/** A document with a value in it. */
export const marshalDocument = (value: Marshalled): Buffer => Buffer.concat([Buffer.from([4, 8]), value]);
