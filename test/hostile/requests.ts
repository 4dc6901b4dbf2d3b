import fc from 'fast-check';
import type { Contract } from '../../shared/http/contract.ts';
import { callers } from '../harness/callers.ts';
import { pathOf } from '../harness/client.ts';
import { codePoint } from '../harness/code-points.ts';
import type { Request } from '../harness/endpoint-facts.ts';
import type { WireRequest } from '../harness/wire.ts';

type Caller = (typeof callers)[number];

/** A request that nobody would send by accident. The caller is nobody if the credential is none. */
export interface HostileRequest {
  readonly caller: Caller | 'none';
  readonly path: string;
  readonly headers: NonNullable<WireRequest['headers']>;
  readonly body: string | Uint8Array | undefined;
}

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

const text = fc.oneof(fc.constantFrom(...knownTexts), fc.string({ unit: codePoint, maxLength: 24 }));

/** Percent-encodings that are wrong, or that say something else than they seem to. */
const rawSegments = [
  '%',
  '%zz',
  '%ff',
  '%c0%af',
  '%2e%2e',
  '%2F',
  '%5c',
  '%00',
  '%ED%A0%80',
  '*',
  ';',
  '!',
  '~',
] as const;

const segment = fc.oneof(
  fc.constantFrom(...rawSegments),
  text.filter((value) => value !== '').map((value) => encodeURIComponent(value.toWellFormed())),
);

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

/** Bytes with a piece of them cut out, doubled or replaced. */
const changedBytes = (valid: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.nat(valid.length), fc.nat(40), fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(undefined)))
    .map(([from, length, put]) => {
      const piece = valid.subarray(from, from + length);
      return Buffer.concat([
        valid.subarray(0, from),
        put ?? Buffer.concat([piece, piece]),
        valid.subarray(from + length),
      ]);
    });

const parsed = (content: string | Uint8Array): unknown => {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
};

const bodyOf = ({ body, bytes }: Request): fc.Arbitrary<string | Uint8Array | undefined> => {
  const content = bytes?.content ?? (body === undefined ? undefined : JSON.stringify(body));
  const odd = fc.oneof(
    value.map((json) => JSON.stringify(json)),
    fc.uint8Array({ maxLength: 64 }),
  );
  if (content === undefined)
    return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: odd });
  const json = body ?? parsed(content);
  return fc.oneof(
    { weight: 6, arbitrary: json === undefined ? changedBytes(Buffer.from(content)) : changedJson(json) },
    { weight: 2, arbitrary: changedBytes(Buffer.from(content)) },
    { weight: 1, arbitrary: fc.oneof(odd, fc.constant(undefined)) },
    { weight: 1, arbitrary: fc.constant(content) },
  );
};

const mediaTypes = ['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', 'a', ''] as const;

const headerOf = (names: readonly string[], values: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values));

/** Headers that endpoints or the gateway read. */
const header = fc.oneof(
  headerOf(['Accept', 'Accept-Encoding'], ['*/*', 'identity', 'application/vnd.npm.install-v1+json', ',;q=', 'br;q=0']),
  headerOf(
    ['Range', 'If-Range'],
    ['bytes=0-0', 'bytes=-0', 'bytes=5-1', 'bytes=99999999999999999999-', 'items=1', '"x"'],
  ),
  headerOf(['If-None-Match'], ['*', '"x"', 'W/"x", "y"', '"']),
  headerOf(['Content-Encoding'], ['gzip', 'identity']),
  headerOf(['X-Forwarded-For', 'X-Request-Id', 'Idempotency-Key'], ['127.0.0.1', '"', 'x'.repeat(2_000)]),
);

const wrongCredentials = ['Bearer x', 'Bearer', 'Basic !!!', 'Basic Og==', 'Negotiate x', 'bearer  str_pat_0'] as const;

type Parameter = readonly [name: string, value: string];

const otherParameters: fc.Arbitrary<readonly Parameter[]> = fc.array(
  fc.tuple(fc.oneof(fc.constantFrom('limit', 'offset', 'cursor', 'search', 'wait', 'write', 'text'), text), text),
  { maxLength: 2 },
);

/** The parameters of the valid request, few of them changed or left out, and others. */
const queryOf = ({ query = {} }: Request): fc.Arbitrary<readonly Parameter[]> => {
  const valid = Object.entries(query).map(([name, given]): fc.Arbitrary<readonly Parameter[]> => {
    const changed = fc.tuple(fc.constant(name), text).map((parameter) => [parameter]);
    const arbitrary = fc.constant<readonly Parameter[]>([[name, String(given)]]);
    return fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: changed }, fc.constant([]));
  });
  return fc.tuple(...valid, otherParameters).map((parameters) => parameters.flat());
};

/** Requests for an endpoint that differ from a valid one in their path, query, headers and body. */
export const hostileRequests = (contract: Contract, valid: Request): fc.Arbitrary<HostileRequest> => {
  const names = Array.from(contract.path.matchAll(/\{(\w+)\+?\}/g), ([, name = '']) => name);
  const params = fc.tuple(
    ...names.map(() => fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: segment })),
  );
  return fc
    .record({
      caller: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...callers) },
        { weight: 1, arbitrary: fc.constant('none' as const) },
      ),
      wrong: fc.option(fc.constantFrom(...wrongCredentials)),
      params,
      query: queryOf(valid),
      headers: fc.array(header, { maxLength: 2 }),
      mediaType: fc.oneof(
        { weight: 9, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...mediaTypes) },
      ),
      body: bodyOf(valid),
    })
    .map(({ caller, wrong, params: given, query: pairs, headers, mediaType, body }) => {
      const path = contract.path.replaceAll(/\{(\w+)(\+?)\}/g, (place, name: string) => {
        const put = given[names.indexOf(name)];
        return put ?? pathOf({ ...contract, path: place }, valid.params);
      });
      const search = pairs
        .map((pair) => pair.map((each) => encodeURIComponent(each.toWellFormed())).join('='))
        .join('&');
      const sent = mediaType ?? valid.bytes?.mediaType ?? 'application/json';
      return {
        caller,
        path: search === '' ? path : `${path}?${search}`,
        headers: [
          ...(caller === 'none' && wrong !== null ? [['Authorization', wrong] as const] : []),
          ...(body === undefined ? [] : [['Content-Type', sent] as const]),
          ...headers,
        ],
        body,
      };
    });
};
