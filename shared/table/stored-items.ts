import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './keys.ts';

/** An item, a key or the values of an expression, as the table takes them. */
export type Stored = Record<string, AttributeValue>;

/** Bytes that the SDK takes as such, and JSON in base64, as they are on the wire: a Buffer would be a list of numbers there. */
class StoredBytes extends Uint8Array<ArrayBuffer> {
  toJSON(): string {
    return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString('base64');
  }
}

const storedValue = (value: unknown): AttributeValue => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array)
    return { B: new StoredBytes(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength) };
  if (value instanceof Set) return { SS: [...value] as string[] };
  if (Array.isArray(value)) return { L: value.map(storedValue) };
  if (typeof value === 'object') return { M: stored(value) };
  throw new TypeError(`The table has no type for ${typeof value}.`);
};

/**
 * Attributes as the table takes them; those that are undefined are left out. The SDK's own client for documents does the same, at the
 * price of a second chain of middleware around each call, which it makes anew each time: 0.3 ms.
 */
export const stored = (attributes: object): Stored => {
  const found: Stored = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) found[name] = storedValue(value);
  return found;
};

const plainValue = ({ S, N, BOOL, B, SS, L, M }: AttributeValue): unknown => {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (SS) return new Set(SS);
  if (L) return L.map(plainValue);
  if (M) return plain(M);
  if (B !== undefined) return bytesOf(B);
  return BOOL ?? null;
};

/** The SDK has decoded bytes; on the wire, they are in base64. */
const bytesOf = (bytes: Uint8Array | string): Uint8Array => {
  if (typeof bytes !== 'string') return bytes;
  const { buffer, byteOffset, length } = Buffer.from(bytes, 'base64');
  return new Uint8Array(buffer, byteOffset, length);
};

/** An item that the table returned. */
export const plain = (item: Stored): Item => {
  const found: Partial<Record<string, unknown>> & Partial<Item> = {};
  for (const [name, value] of Object.entries(item)) found[name] = plainValue(value);
  return found as Item;
};
