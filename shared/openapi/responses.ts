import { type ErrorCode, errors } from '../errors.ts';
import { answersOf, type Contract } from '../http/contract.ts';
import { errorCodesOf } from '../http/contract-errors.ts';
import type { DescribedResponse, Documenter, Json } from '../http/documenter.ts';
import { problemMediaType, problemType } from '../http/problem.ts';
import { problemExampleOf } from './examples.ts';
import { describedAnswer } from './kinds.ts';

const header = (description: string, schema: Json, required = true): Json => ({ description, required, schema });
const text = { type: 'string' } as const;

/** Every header that a response can have, apart from Content-Type. */
export const headers: Readonly<Record<string, Json>> = {
  'X-Request-Id': header('Identifies this request in the logs of the service.', { ...text, minLength: 1 }),
  'Cache-Control': header('Says that the answer must not be stored. The files of the reference page may be.', text),
  'X-Content-Type-Options': header('Says that the media type is correct.', { ...text, const: 'nosniff' }),
  'Strict-Transport-Security': header('Says that the service must only be called over HTTPS.', text),
  Location: header('The address of the created resource, or of the bytes.', { ...text, format: 'uri-reference' }),
  'Set-Cookie': header(
    'The cookie of the session, which `POST /1/sessions/renew` and `DELETE /1/sessions` read and nothing else. Beside a signature of rpm: the set of lists that it signs, whose `repomd.xml` the client gets next.',
    text,
    false,
  ),
  Link: header(
    'Points to the next page: `<path>; rel="next"`. The last page does not have this header.',
    { ...text, pattern: '^<[^>]+>; rel="next"$' },
    false,
  ),
  'Retry-After': header('The number of seconds to wait before the next attempt.', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header(
    'How to authenticate: `Basic realm="stockroom", charset="UTF-8"`. A refusal of a credential that was valid minutes ago does not have this header.',
    text,
    false,
  ),
  'Content-Encoding': header('gzip, if the request accepts it.', { ...text, const: 'gzip' }, false),
  'Content-Disposition': header(
    'Tells browsers to save the bytes, and not to show them.',
    { ...text, const: 'attachment' },
    false,
  ),
  Vary: header('Says what of the request the answer depends on.', text, false),
  ETag: header('Identifies these bytes, for If-None-Match and If-Range.', text, false),
  'Repr-Digest': header('The SHA-256 of the whole, also of a range of it (RFC 9530).', text, false),
  Digest: header('The same in the form of RFC 3230, for older clients.', text, false),
  'Last-Modified': header(
    'A date that stands for the ETag, for If-Modified-Since. Of a file, it is when that was published; of a document, it only says which revision this is, and not when that was made.',
    text,
    false,
  ),
  'Accept-Ranges': header('Says that a request can have a Range header.', text, false),
  'Content-Range': header('The position of this range, and the number of all bytes.', text),
  'X-Stockroom-Origin': header('The repository that this comes from.', text, false),
  'X-Stockroom-Cache': header(
    'Says how a remote repository got this: hit, miss, stale or revalidated.',
    { ...text, enum: ['hit', 'miss', 'stale', 'revalidated'] },
    false,
  ),
  'X-Stockroom-Gate': header(
    'Says that a release gate that only observes would change this answer.',
    { ...text, const: 'would-hold' },
    false,
  ),
  'X-Stockroom-Published': header(
    'When a file was published (RFC 3339): here, or at the upstream of a remote repository with a release gate, as far as that says it.',
    text,
    false,
  ),
  'X-Stockroom-Held-Until': header(
    'When the version passes the release gate (RFC 3339), if time lets it through.',
    text,
    false,
  ),
  'npm-notice': header('Says how many versions a release gate holds back, which npm prints.', text, false),
  Warning: header('Says what is missing or out of date (RFC 7234 section 5.5).', text, false),
  'X-NuGet-Warning': header('The sentence of the refusal, which NuGet prints.', text, false),
  'Docker-Distribution-API-Version': header('The version of the API that docker looks for.', text),
  'Docker-Content-Digest': header('The digest of what this contains or has stored.', text, false),
  'Docker-Upload-UUID': header('The ID of the upload.', text, false),
  'OCI-Chunk-Min-Length': header('The size in bytes that the parts of a blob should have at least.', text, false),
  'OCI-Subject': header('The digest of the manifest that the published one is about.', text, false),
  'X-Conan-Server-Capabilities': header('What Conan looks for: that the repository has revisions.', text),
  'OCI-Filters-Applied': header('The filters that the list of referrers went through.', text, false),
  Range: header('The bytes of the upload that have arrived.', text, false),
  'Content-Security-Policy': header(
    'Says what a browser may do with the answer. Only the reference page may run anything.',
    text,
  ),
};

/** What the references to responses that endpoints share begin with. */
const sharedPrefix = '#/components/responses/';

const always = [
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'Strict-Transport-Security',
  'Content-Security-Policy',
];

const headersNamed = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** All responses of an endpoint, by status. */
export const responsesOf = (contract: Contract, words: Documenter, refusalHeaders: readonly string[] = []): Json => {
  const byStatus = Map.groupBy(errorCodesOf(contract), (code) => errors[code].status);
  const successes = answersOf(contract).flatMap((answer) => Object.entries(describedAnswer(answer, contract, words)));
  return Object.fromEntries([
    ...[...Map.groupBy(successes, ([status]) => status)].map(([status, found]) => [
      status,
      successResponse(joined(found.map(([, described]) => described))),
    ]),
    ...[...byStatus].map(([status, codes]) => [status, refusal(codes, contract, refusalHeaders)]),
  ]);
};

/** The same responses to `HEAD`: none of them has content, and none is a range (RFC 9110 sections 9.3.2 and 14.2). */
export const responsesToHead = (responses: Json): Json =>
  Object.fromEntries(
    Object.entries(responses as Readonly<Record<string, Json>>)
      .filter(([status]) => status !== '206' && status !== '416')
      .map(([status, response]) => {
        const { content: _, ...headersOnly } = sharedResponseIn(response) ?? response;
        return [status, headersOnly];
      }),
  );

/** What several kinds of answers say of one status: the first one describes it, and each may add headers. */
const joined = (described: readonly DescribedResponse[]): DescribedResponse => ({
  ...(described[0] as DescribedResponse),
  headers: described.flatMap(({ headers: named = [] }) => named),
});

const successResponse = ({ description, headers: extra = [], content, links }: DescribedResponse): Json => ({
  description,
  headers: headersNamed([...new Set([...always, ...extra])]),
  ...(content && { content }),
  ...(links && { links }),
});

/** If an endpoint has a single refusal of a status, and no headers of its own, it refers to the response that all endpoints share. */
const refusal = (codes: readonly ErrorCode[], contract: Contract, ownHeaders: readonly string[]): Json => {
  const [first, ...others] = codes;
  if (first && others.length + ownHeaders.length === 0 && first !== 'REQUEST_INVALID')
    return { $ref: `${sharedPrefix}${first}` };
  return problemResponse(codes, contract, ownHeaders);
};

const problemResponse = (
  codes: readonly ErrorCode[],
  contract?: Contract,
  ownHeaders: readonly string[] = [],
): Json => ({
  description: codes.map((code) => `\`${code}\`: ${errors[code].advice}`).join('\n\n'),
  headers: {
    ...headersNamed([
      ...always,
      ...ownHeaders,
      ...(codes.some((code) => errors[code].status === 401) ? ['WWW-Authenticate'] : []),
      ...(codes.some((code) => errors[code].retryAfterSeconds) ? ['Retry-After'] : []),
      ...new Set(codes.flatMap((code) => errors[code].headers ?? [])),
    ]),
    ...(codes.some((code) => errors[code].mayHaveRetryAfter) && {
      'Retry-After': { ...headers['Retry-After'], required: false },
    }),
  },
  content: {
    [problemMediaType]: {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Problem' },
          { properties: { code: { enum: codes }, type: { enum: codes.map(problemType) } } },
        ],
      },
      examples: Object.fromEntries(codes.map((code) => [code, { value: problemExampleOf(code, contract) }])),
    },
  },
});

/** The response that a reference to a shared one stands for. */
const sharedResponseIn = ({ $ref }: Json): Json | undefined =>
  typeof $ref === 'string' ? problemResponse([$ref.slice(sharedPrefix.length) as ErrorCode]) : undefined;

/** The responses that endpoints share, by code. */
export const sharedResponses = (used: ReadonlySet<string>): Json =>
  Object.fromEntries(
    (Object.keys(errors) as ErrorCode[])
      .filter((code) => used.has(code))
      .map((code) => [code, problemResponse([code])]),
  );
