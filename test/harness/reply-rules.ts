import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type ErrorCode, errors } from '../../shared/errors.ts';
import { answersOf, type Contract, successStatuses } from '../../shared/http/contract.ts';
import { errorCodesOf } from '../../shared/http/contract-errors.ts';
import type { Problem } from '../../shared/http/problem.ts';
import { array, type Schema } from '../../shared/http/schema.ts';
import { checkAgainstDocument } from './document-rules.ts';
import { addFormats, uuid } from './formats.ts';
import { findPassword } from './secrets.ts';
import type { Reply } from './wire.ts';

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
ajv.addVocabulary(['allowed']);
addFormats(ajv);

const compiled = new Map<Schema, ValidateFunction>();

const validatorOf = (shape: Schema): ValidateFunction => {
  const known = compiled.get(shape);
  if (known) return known;
  const validate = ajv.compile(shape);
  compiled.set(shape, validate);
  return validate;
};

const text = { type: 'string', minLength: 1 } as const;
const validateProblem = ajv.compile({
  type: 'object',
  properties: {
    type: { type: 'string', pattern: '^urn:stockroom:problem:[a-z-]+$' },
    title: text,
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: text,
    code: { type: 'string', pattern: '^[A-Z_]+$' },
    message: text,
    errors: { type: 'array', minItems: 1, items: text },
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

/** The response headers that the contract of the service promises on every response. */
const checkHeaders = ({ headers, status }: Reply, mediaType: string, caching = 'no-store'): void => {
  expect(headers['content-type']).toBe(mediaType);
  expect(headers['x-request-id']).toMatch(/\S/);
  expect(headers['cache-control']).toBe(caching);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['strict-transport-security']).toMatch(/^max-age=\d+/);
  expect(headers['x-powered-by']).toBeUndefined();
  if (status === 429 || status === 503) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
};

/** What no text that people read may hold: stacks, ARNs, keys of the table, secrets. */
const internal = /\n\s+at |arn:aws|node_modules|WORKSPACE#|USER#|TOKEN#|\$argon2|DynamoDB|Exception/;

/** Reads a reply that must be the problem body of the service. */
export const readProblem = (reply: Reply): Problem => {
  checkHeaders(reply, 'application/problem+json');
  const problem = JSON.parse(reply.text) as Problem;
  if (!validateProblem(problem))
    throw new Error(`No problem body: ${ajv.errorsText(validateProblem.errors)}\n${reply.text}`);
  const { code, status, title, type, detail, message, requestId } = problem;
  expect({ status, title, httpStatus: reply.status }).toEqual({
    status: errors[code]?.status,
    title: errors[code]?.title,
    httpStatus: status,
  });
  expect(type).toBe(`urn:stockroom:problem:${code.toLowerCase().replaceAll('_', '-')}`);
  expect(message).toBe(detail);
  const sentences = problem.violations.map((violation) => violation.message);
  if (sentences.length === 100) expect(problem.errors.slice(0, 100)).toEqual(sentences);
  else expect(problem.errors).toEqual(sentences.length > 0 ? sentences : [detail]);
  expect(requestId).toBe(reply.headers['x-request-id']);
  expect(reply.text).not.toMatch(internal);
  expect(findPassword(reply.text)).toBeUndefined();
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
    expect(reply.text).not.toContain('"remoteRepositoryPassword"');
    expect(findPassword(reply.text)).toBeUndefined();
    return;
  }
  const { remoteRepositoryPassword, ...others } = result as Record<string, unknown>;
  expect(remoteRepositoryPassword).toBe(echo);
  expect(findPassword(JSON.stringify(others))).toBeUndefined();
};

/** One schema object per contract, so that each is compiled once. */
const resultSchemas = new Map<string, Schema>();

const resultSchemaOf = (contract: Contract): Schema => {
  const [answer] = answersOf(contract);
  const shape =
    resultSchemas.get(contract.id) ??
    (answer?.kind === 'list' ? array(answer.items) : answer?.kind === 'json' ? answer.result : undefined);
  if (!shape) throw new Error(`${contract.id} answers no JSON.`);
  resultSchemas.set(contract.id, shape);
  return shape;
};

/** Reads a reply that must be a result of the contract. */
const readResult = (contract: Contract, reply: Reply, { baseUrl, echo }: Asked): unknown => {
  const [answer] = answersOf(contract);
  if (answer?.kind === 'file') {
    checkHeaders(reply, answer.mediaType, answer.headers?.['Cache-Control']);
    return reply.text;
  }
  // What packages hold is their publishers' own: the document announces its media types, and its headers were checked.
  if (answer?.kind === 'bytes' || answer?.kind === 'redirect') return reply.text;
  const shape = resultSchemaOf(contract);
  checkHeaders(reply, 'application/json');
  const result: unknown = JSON.parse(reply.text);
  const validate = validatorOf(shape);
  if (!validate(result))
    throw new Error(`Not the result of ${contract.id}: ${ajv.errorsText(validate.errors)}\n${reply.text}`);
  checkPasswords(result, reply, echo);
  if (!JSON.stringify(shape).includes('str_pat_')) expect(reply.text).not.toContain('str_pat_');
  const { location } = reply.headers;
  const template = answer?.kind === 'json' ? answer.location : undefined;
  if (reply.status !== 201 || template === undefined) expect(location).toBeUndefined();
  else expect(location).toBe(expectedLocation(template, result as Record<string, unknown>, baseUrl));
  return result;
};

const expectedLocation = (template: string, result: Record<string, unknown>, baseUrl: string): string => {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    expect(result[field]).toMatch(uuid);
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
  const successes = answersOf(contract).flatMap(successStatuses);
  // What a client asks for by its conditions is no failure either.
  if (answersOf(contract).some(({ kind }) => kind === 'bytes')) successes.push(206, 304, 416);
  if (successes.includes(reply.status)) return { result: readResult(contract, reply, asked), problem: undefined };
  if (reply.status < 400) throw new Error(`${contract.id} does not announce ${reply.status}: ${reply.text}`);
  const problem = readProblem(reply);
  const announced: readonly ErrorCode[] = errorCodesOf(contract);
  if (!announced.includes(problem.code)) throw new Error(`${contract.id} does not announce ${problem.code}.`);
  return { result: undefined, problem };
};
