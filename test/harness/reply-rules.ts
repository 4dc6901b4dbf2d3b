import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { tokenPrefixes } from '../../shared/auth/tokens.ts';
import { type ErrorCode, errors } from '../../shared/errors.ts';
import { answersOf, type Contract, successStatuses } from '../../shared/http/contract.ts';
import { errorCodesOf } from '../../shared/http/contract-errors.ts';
import type { Problem } from '../../shared/http/problem.ts';
import { array } from '../../shared/http/schema.ts';
import { checkAgainstBrowsers, checkPackageAnswer } from './answer-rules.ts';
import { addFormats, checkAgainstDocument, uuid } from './document-rules.ts';
import { findPassword } from './secrets.ts';
import type { Reply } from './wire.ts';

// A test of the document checks all schemas: to check them here would take each suite longer than everything else here.
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, validateSchema: false });
ajv.addVocabulary(['allowed']);
addFormats(ajv);

const text = { type: 'string', minLength: 1 } as const;
/** A sentence as the clients of some package types read it. */
const sentenceObject = {
  type: 'object',
  properties: { detail: text },
  required: ['detail'],
  additionalProperties: false,
} as const;
/** A sentence as clients of registries of images read it. */
const codedSentence = {
  type: 'object',
  properties: { code: { type: 'string', pattern: '^[A-Z_]+$' }, message: text, detail: { type: 'null' } },
  required: ['code', 'message', 'detail'],
  additionalProperties: false,
} as const;
const validateProblem = ajv.compile({
  type: 'object',
  properties: {
    type: { type: 'string', pattern: '^urn:stockroom:problem:[a-z-]+$' },
    title: text,
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: text,
    code: { type: 'string', pattern: '^[A-Z_]+$' },
    message: text,
    errors: { type: 'array', minItems: 1, items: { oneOf: [text, sentenceObject, codedSentence] } },
    violations: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        properties: { pointer: { type: 'string' }, rule: text, message: text },
        required: ['pointer', 'rule', 'message'],
        additionalProperties: false,
      },
    },
    requestId: text,
    error: text,
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'message', 'errors', 'violations', 'requestId'],
  additionalProperties: false,
});

/**
 * Refuses what differs from what is promised: a value, or the form of a text. Every answer of every test comes through here,
 * and `expect` would take longer than the answer.
 */
const check = (
  values: Readonly<Record<string, unknown>>,
  promised: Readonly<Record<string, string | number | RegExp | undefined>>,
): void => {
  for (const [name, wanted] of Object.entries(promised)) {
    const value = values[name];
    const isRight = wanted instanceof RegExp ? typeof value === 'string' && wanted.test(value) : value === wanted;
    if (!isRight) throw new Error(`${name} must be ${String(wanted)}, and it is ${JSON.stringify(value)}.`);
  }
};

/** The response headers that the contract of the service promises on every response. */
const checkHeaders = (
  { headers, status }: Reply,
  mediaType: string | RegExp,
  caching: string | RegExp = 'no-store',
): void =>
  check(headers, {
    'content-type': mediaType,
    'x-request-id': /\S/,
    'cache-control': caching,
    'x-content-type-options': 'nosniff',
    'strict-transport-security': /^max-age=\d+/,
    'x-powered-by': undefined,
    ...((status === 429 || status === 503) && { 'retry-after': /^[1-9]\d*$/ }),
  });

/** What no text that people read may hold: stacks, ARNs, keys of the table, secrets. */
const internal = /\n\s+at |arn:aws|node_modules|WORKSPACE#|USER#|TOKEN#|\$argon2|DynamoDB|Exception/;

/** Reads a reply that must be the problem body of the service. */
export const readProblem = (reply: Reply): Problem => {
  checkAgainstBrowsers(reply);
  checkHeaders(reply, 'application/problem+json');
  const problem = JSON.parse(reply.text) as Problem;
  if (!validateProblem(problem))
    throw new Error(`No problem body: ${ajv.errorsText(validateProblem.errors)}\n${reply.text}`);
  const { code, status, detail, violations } = problem;
  const sentences = violations.map((violation) => violation.message);
  // Only the first hundred violations are in the list of them.
  type Told = string | { readonly detail: string } | { readonly message: string };
  const told = (problem.errors as readonly Told[]).map((error) => {
    if (typeof error === 'string') return error;
    return 'message' in error ? error.message : error.detail;
  });
  const listed = sentences.length === 100 ? told.slice(0, 100) : told;
  check(
    {
      ...problem,
      'HTTP status': reply.status,
      errors: JSON.stringify(listed),
      'internal text': internal.exec(reply.text)?.[0],
      password: findPassword(reply.text),
    },
    {
      status: errors[code]?.status,
      title: errors[code]?.title,
      'HTTP status': status,
      type: `urn:stockroom:problem:${code.toLowerCase().replaceAll('_', '-')}`,
      message: detail,
      errors: JSON.stringify(sentences.length > 0 ? sentences : [detail]),
      requestId: String(reply.headers['x-request-id']),
      'internal text': undefined,
      password: undefined,
    },
  );
  return problem;
};

/** What the reader of a reply knows about the call. */
export interface Asked {
  readonly baseUrl: string;
  /** The upstream password that the service must repeat: only in the result of a creation, and only with that setting on. */
  readonly echo?: string | undefined;
}

/** A result holds no password, with one exception: the upstream password to repeat, exactly as sent and in its own field. */
const checkPasswords = (result: unknown, reply: Reply, echo: string | undefined): void => {
  if (echo === undefined) {
    const field = /"remoteRepositoryPassword"/.exec(reply.text)?.[0];
    check({ field, password: findPassword(reply.text) }, { field: undefined, password: undefined });
    return;
  }
  const { remoteRepositoryPassword, ...others } = result as Record<string, unknown>;
  const password = findPassword(JSON.stringify(others));
  check({ remoteRepositoryPassword, password }, { remoteRepositoryPassword: echo, password: undefined });
};

/** The schema of a result, and how no text in it may begin: that of the tokens which it may not hold. */
interface ResultRules {
  readonly validate: ValidateFunction;
  readonly forbidden: readonly string[];
}

const resultRules = new Map<string, ResultRules>();

const resultRulesOf = (contract: Contract): ResultRules => {
  const known = resultRules.get(contract.id);
  if (known) return known;
  const [answer] = answersOf(contract);
  const shape = answer?.kind === 'list' ? array(answer.items) : answer?.kind === 'json' ? answer.result : undefined;
  if (!shape) throw new Error(`${contract.id} answers no JSON.`);
  const shown = JSON.stringify(shape);
  const forbidden = Object.values(tokenPrefixes).filter((prefix) => !shown.includes(prefix));
  const rules = { validate: ajv.compile(shape), forbidden };
  resultRules.set(contract.id, rules);
  return rules;
};

const linesMediaType = 'application/x-ndjson';

/** The values of a text with one JSON value in each line. */
const linesOf = (ndjson: string): unknown[] => {
  if (ndjson !== '' && !ndjson.endsWith('\n')) throw new Error('The last line has no end.');
  return ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
};

/** Reads a reply that must be a result of the contract. */
const readResult = (contract: Contract, reply: Reply, { baseUrl, echo }: Asked): unknown => {
  const [answer] = answersOf(contract);
  if (answer?.kind === 'file') {
    checkHeaders(reply, answer.mediaType, answer.headers?.['Cache-Control']);
    return reply.text;
  }
  // What packages hold is their publishers' own: the document announces its media types.
  if (answer?.kind === 'bytes' || answer?.kind === 'redirect') {
    checkHeaders(reply, /./, /./);
    checkPackageAnswer(contract, reply, baseUrl);
    return reply.text;
  }
  const { validate, forbidden } = resultRulesOf(contract);
  const isLines = answer?.kind === 'list' && answer.isAlsoLines && reply.headers['content-type'] === linesMediaType;
  checkHeaders(reply, isLines ? linesMediaType : 'application/json');
  const result: unknown = isLines ? linesOf(reply.text) : JSON.parse(reply.text);
  if (!validate(result))
    throw new Error(`Not the result of ${contract.id}: ${ajv.errorsText(validate.errors)}\n${reply.text}`);
  checkPasswords(result, reply, echo);
  if (forbidden.some((prefix) => reply.text.includes(prefix)))
    throw new Error(`A token in the result of ${contract.id}.`);
  const template = answer?.kind === 'json' && reply.status === 201 ? answer.location : undefined;
  const location = template && expectedLocation(template, result as Record<string, unknown>, baseUrl);
  check(reply.headers, { location });
  return result;
};

const expectedLocation = (template: string, result: Record<string, unknown>, baseUrl: string): string => {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    check(result, { [field]: uuid });
    return String(result[field]);
  });
  return new URL(baseUrl).pathname.replace(/\/$/, '') + path;
};

/** Reads a reply to a call of an endpoint, and refuses whatever the contract of the endpoint does not announce. */
export const readReply = (
  contract: Contract,
  reply: Reply,
  asked: Asked,
): { result: unknown; problem: undefined } | { result: undefined; problem: Problem } => {
  checkAgainstDocument(contract, reply);
  checkAgainstBrowsers(reply, contract);
  const successes = answersOf(contract).flatMap(successStatuses);
  // What a client asks for by its conditions is no failure either.
  const givesBytes = answersOf(contract).some(
    (answer) => answer.kind === 'bytes' && [answer.success].flat().includes(200),
  );
  if (givesBytes) successes.push(206, 304, 416);
  if (successes.includes(reply.status)) return { result: readResult(contract, reply, asked), problem: undefined };
  if (reply.status < 400) throw new Error(`${contract.id} does not announce ${reply.status}: ${reply.text}`);
  const problem = readProblem(reply);
  const announced: readonly ErrorCode[] = errorCodesOf(contract);
  if (!announced.includes(problem.code)) throw new Error(`${contract.id} does not announce ${problem.code}.`);
  return { result: undefined, problem };
};
