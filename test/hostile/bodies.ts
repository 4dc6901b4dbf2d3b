import fc from 'fast-check';
import { codePoint } from '../harness/bytes.ts';
import type { Request } from '../harness/endpoint-facts.ts';

/** Texts that have broken something somewhere. */
const knownTexts = [
  ' ',
  '...',
  '\\',
  '\0',
  '\r\nX-Header: value',
  '\u202e',
  '\u{10ffff}',
  'İ',
  'ﬀ',
  '%00',
  '%252e%252e',
  '#',
  '?',
  '&=',
  '@scope/name',
  '__proto__',
  'constructor',
  'null',
  'true',
  '-1',
  '1e400',
  '9007199254740993',
  '00000000-0000-0000-0000-000000000000',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  'a'.repeat(300),
  'é'.repeat(300),
] as const;

/** Any text, or one of these. */
export const text = fc.oneof(fc.constantFrom(...knownTexts), fc.string({ unit: codePoint, maxLength: 24 }));

const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);

const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(text, scalar, { maxKeys: 3 }));

type Path = readonly (string | number)[];

const pathsOf = (json: unknown, at: Path = []): Path[] =>
  typeof json === 'object' && json !== null
    ? [at, ...Object.entries(json).flatMap(([key, member]) => pathsOf(member, [...at, key]))]
    : [at];

/** Puts a value in the place of a part of a JSON value, or beside it under a key of its own. */
const replaced = (json: unknown, [key, ...rest]: Path, put: (before: unknown) => unknown): unknown => {
  if (key === undefined) return put(json);
  if (Array.isArray(json))
    return json.map((member: unknown, at) => (String(at) === key ? replaced(member, rest, put) : member));
  const members = Object.entries(json as object).map(([name, member]: [string, unknown]) =>
    name === key ? ([name, replaced(member, rest, put)] as const) : ([name, member] as const),
  );
  return Object.fromEntries(members);
};

const change = fc.oneof(
  value.map((put) => () => put),
  fc.tuple(text, value).map(([key, put]) => (before: unknown) => ({ ...(before as object), [key]: put })),
  fc.constant(() => undefined),
  fc.constant((before: unknown) => [before, before]),
);

/** A valid JSON value with one to three of its parts changed. */
const changedJson = (valid: unknown): fc.Arbitrary<string> =>
  fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 }).map((changes) => {
    let json = valid;
    for (const [at, put] of changes) {
      const paths = pathsOf(json);
      json = replaced(json, paths[at % paths.length] ?? [], put);
    }
    return JSON.stringify(json) ?? '';
  });

/** Bytes with a piece of them cut out, doubled or replaced; or only their begin or their end, from any position. */
const changedBytes = (valid: Uint8Array): fc.Arbitrary<Uint8Array> => {
  const place = fc.nat(valid.length);
  const other = fc
    .tuple(place, fc.nat(40), fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(undefined)))
    .map(([from, length, put]) => {
      const piece = valid.subarray(from, from + length);
      return Buffer.concat([
        valid.subarray(0, from),
        put ?? Buffer.concat([piece, piece]),
        valid.subarray(from + length),
      ]);
    });
  return fc.oneof(
    { weight: 3, arbitrary: other },
    { weight: 2, arbitrary: place.map((end) => valid.subarray(0, end)) },
    { weight: 1, arbitrary: place.map((from) => valid.subarray(from)) },
  );
};

/** Lines in the head of a part that readers of forms stumble over. */
const partLines = [
  '',
  ':',
  'Content-Disposition',
  'Content-Disposition: form-data',
  'Content-Disposition: form-data; name',
  'Content-Disposition: form-data; name="',
  'Content-Disposition: form-data; name=""; filename=""',
  'Content-Disposition: form-data; name="a"; name="content"; filename="b"',
  'Content-Disposition: form-data; name="__proto__"; filename="constructor"',
  'Content-Disposition: form-data; name="content"; filename="../../\0"',
  "Content-Disposition: form-data; name=a; filename*=UTF-8''%ff%zz",
  "Content-Disposition: form-data; name*0=con; name*1*=x''tent",
  'Content-Disposition: attachment; filename="a"',
  'Content-Type: multipart/mixed; boundary=b',
  'Content-Type: text/plain; charset=utf-16',
  'Content-Type: ;',
  'Content-Transfer-Encoding: base64',
  'Content-Length: -1',
  ' folded: line',
  `X: ${'x'.repeat(20_000)}`,
  'X: y\r\n'.repeat(60),
] as const;

/** A form with a line in the head of a part replaced, or one more before it; or with a boundary that is none. */
const changedForm = (valid: Uint8Array): fc.Arbitrary<Uint8Array> => {
  const lines = Buffer.from(valid).toString('latin1').split('\r\n');
  const ofHeads = [...lines.keys()].filter((at) => /^(?:Content-|--)/.test(lines[at] ?? ''));
  return fc
    .tuple(fc.constantFrom(...ofHeads), fc.constantFrom(...partLines), fc.boolean())
    .map(([at, put, isMore]) => Buffer.from(lines.toSpliced(at, isMore ? 0 : 1, put).join('\r\n'), 'latin1'));
};

const parsed = (content: string | Uint8Array): unknown => {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
};

/** What fits the kind of a body best. */
const changedContent = (content: Uint8Array, json: unknown, mediaType = ''): fc.Arbitrary<string | Uint8Array> => {
  if (json !== undefined) return changedJson(json);
  return mediaType.startsWith('multipart/') ? changedForm(content) : changedBytes(content);
};

/** The body of a valid request with some of it changed. */
export const bodyOf = ({ body, bytes }: Request): fc.Arbitrary<string | Uint8Array | undefined> => {
  const content = bytes?.content ?? (body === undefined ? undefined : JSON.stringify(body));
  const odd = fc.oneof(
    value.map((json) => JSON.stringify(json)),
    fc.uint8Array({ maxLength: 64 }),
  );
  if (content === undefined)
    return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: odd });
  const json = body ?? parsed(content);
  return fc.oneof(
    { weight: 6, arbitrary: changedContent(Buffer.from(content), json, bytes?.mediaType) },
    { weight: 2, arbitrary: changedBytes(Buffer.from(content)) },
    { weight: 1, arbitrary: fc.oneof(odd, fc.constant(undefined)) },
    { weight: 1, arbitrary: fc.constant(content) },
  );
};
