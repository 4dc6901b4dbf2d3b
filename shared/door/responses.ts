import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../errors.ts';
import { problemResponse } from '../http/response.ts';
import type { WholeAnswer } from './api.ts';
import { passedHeaders } from './headers.ts';

/** Sets headers so that the log line of the request can have them. */
const setHeaders = (
  response: ServerResponse,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): void => {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
};

const setHead = (response: ServerResponse, head: IncomingMessage, length: string | undefined): void => {
  response.statusCode = head.statusCode ?? 502;
  response.statusMessage = head.statusMessage ?? '';
  setHeaders(response, { ...passedHeaders(head), 'content-length': length });
};

/** Passes an answer of the API on while it arrives. */
export const relay = async (response: ServerResponse, head: IncomingMessage): Promise<void> => {
  setHead(response, head, head.headers['content-length']);
  await pipeline(head, response);
};

/** Passes an answer of the API on that was read to its end. */
export const relayWhole = (response: ServerResponse, { head, content }: WholeAnswer): void => {
  setHead(response, head, String(content.length));
  response.end(content);
};

/** Answers with a problem body, as the functions do. What is no refusal is unexpected, and told as such. */
export const answerProblem = (response: ServerResponse, error: unknown): void => {
  const refusal = error instanceof ApiError ? error : new ApiError('INTERNAL_ERROR');
  const { statusCode, headers, body } = problemResponse(refusal, randomUUID());
  response.statusCode = statusCode;
  setHeaders(response, { ...(headers as Record<string, string>), 'content-length': String(Buffer.byteLength(body)) });
  response.end(body);
};
