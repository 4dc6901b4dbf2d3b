import fc from 'fast-check';
import type { Contract } from '../../shared/http/contract.ts';
import { callers } from '../harness/callers.ts';
import { pathOf } from '../harness/client.ts';
import type { Request } from '../harness/endpoint-facts.ts';
import type { WireRequest } from '../harness/wire.ts';
import { bodyOf, text } from './bodies.ts';

type Caller = (typeof callers)[number];

/** A request that nobody would send by accident. The caller is nobody if the credential is none. */
export interface HostileRequest {
  readonly caller: Caller | 'none';
  /** The Host header. By default, it is that of the service. */
  readonly host: string | undefined;
  readonly path: string;
  readonly headers: NonNullable<WireRequest['headers']>;
  readonly body: string | Uint8Array | undefined;
}

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

const mediaTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="',
  'multipart/form-data; boundary=é',
  'multipart/form-data; boundary=a; boundary=b',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'Multipart/Form-Data;boundary=--',
  'multipart/mixed; boundary=b',
  'a',
  '',
] as const;

/** What else a Host may be. What it may not be reaches no function. */
const hosts = ['a', 'A.EXAMPLE.:1', '[::1]:3000', 'under_score', '127.0.0.1'] as const;

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
  headerOf(
    ['Content-Range', 'Content-Disposition', 'Docker-Content-Digest', 'Content-MD5', 'X-Checksum-Sha1'],
    ['bytes 0-0/1', 'bytes 5-1/*', '0-99999999999999999999', '-', 'attachment; filename="', 'sha256:', 'x'],
  ),
  headerOf(
    ['Via', 'Forwarded', 'X-Forwarded-Host', 'X-Forwarded-Proto'],
    ['1.1 stockroom-0123456789abcdef', '1.1 x, 1.1 x', 'host="', 'a b', 'javascript', ','],
  ),
  headerOf(
    ['Origin', 'Referer', 'Sec-Fetch-Site', 'Sec-Fetch-Mode', 'Sec-Fetch-Dest'],
    ['null', 'https://a.example', 'http://[', 'cross-site', 'same-site', 'none', 'navigate', 'document', '\u00ff'],
  ),
  // Whether a body may come is a question of the door, whose answer no contract has.
  headerOf(
    ['X-Stockroom-Body', 'X-Stockroom-Upload-Length', 'X-Stockroom-Viewer', 'X-Stockroom-Edge', 'X-Stockroom-X'],
    ['x.y', 'eyJ9.', '-1', '1e9', '99999999999999999999', '::', 'x'],
  ),
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
      host: fc.option(fc.constantFrom(...hosts), { nil: undefined, freq: 8 }),
      params,
      query: queryOf(valid),
      headers: fc.array(header, { maxLength: 2 }),
      mediaType: fc.oneof(
        { weight: 8, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...mediaTypes) },
      ),
      body: bodyOf(valid),
    })
    .map(({ caller, wrong, host, params: given, query: pairs, headers, mediaType, body }) => {
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
        host,
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
