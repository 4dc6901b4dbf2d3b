import type { Responder } from '../built-contract.ts';
import type { AnswerKind } from '../contract.ts';
import type { DescribedResponse, Documenter, Json } from '../documenter.ts';
import { basePathOf } from '../request-address.ts';
import { textResponse } from '../response.ts';
import type { ObjectSchema, Schema } from '../schema.ts';

type JsonAnswer = Extract<AnswerKind, { kind: 'json' }>;

/** Responds with a JSON result and, if a resource was created, with its location. */
export const respond: Responder = ({ contract: { answer }, event, requestId }, outcome) => {
  const { success, location, setsCookie } = answer as JsonAnswer;
  const { status, result, cookie } = outcomeOf(success, setsCookie, outcome);
  const headers = {
    ...(location !== undefined && status === 201 && { Location: basePathOf(event) + filled(location, result as Json) }),
    ...(cookie !== undefined && { 'Set-Cookie': cookie }),
  };
  return textResponse(status, requestId, 'application/json', JSON.stringify(result), headers);
};

/** What a use case returned: the result alone, or with its status or its cookie if the contract says so. */
interface Outcome {
  readonly status: number;
  readonly result: unknown;
  readonly cookie?: string;
}

const outcomeOf = (success: JsonAnswer['success'], setsCookie: true | undefined, outcome: unknown): Outcome => {
  if (typeof success !== 'number') return outcome as Outcome;
  return setsCookie ? { ...(outcome as Outcome), status: success } : { status: success, result: outcome };
};

const filled = (location: string, result: Json): string =>
  location.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(result[field]));

/**
 * The responses in the OpenAPI document. `sent` is the body of the example request: the example of the result repeats its
 * values, and has only the fields that every answer has.
 */
export const describe = (answer: JsonAnswer, words: Documenter, sent: unknown): Record<number, DescribedResponse> => {
  const statuses = [answer.success].flat();
  const wordsOf = (status: number): string => {
    if (status === 201) return 'The resource was created.';
    return statuses.length > 1 ? 'The resource existed already and was changed.' : 'The request succeeded.';
  };
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: wordsOf(status),
        headers: [
          ...(status === 201 && answer.location ? ['Location'] : []),
          ...(answer.setsCookie ? ['Set-Cookie'] : []),
        ],
        ...(status === 201 && answer.location && { links: words.links(answer.location) }),
        content: {
          'application/json': { schema: words.schema(answer.result), examples: examplesOf(answer.result, words, sent) },
        },
      },
    ]),
  );
};

const examplesOf = (result: Schema, words: Documenter, sent: unknown): Json => {
  if (!('oneOf' in result)) return { example: { value: echoing(words.example(withoutOptionalFields(result)), sent) } };
  return Object.fromEntries(result.oneOf.map((shape) => [nameOf(shape, words), { value: words.example(shape) }]));
};

const withoutOptionalFields = (shape: Schema): Schema => {
  if (!('properties' in shape)) return shape;
  const required = Object.entries(shape.properties).filter(([name]) => shape.required.includes(name));
  return { ...shape, properties: Object.fromEntries(required) };
};

const nameOf = (shape: ObjectSchema, words: Documenter): string => {
  const kind = shape.properties.repositoryType;
  return kind ? String(words.example(kind)) : (shape.title ?? 'example');
};

const echoing = (result: unknown, sent: unknown): unknown => {
  if (typeof result !== 'object' || result === null || Array.isArray(result) || typeof sent !== 'object') return result;
  const echoed = Object.entries(sent ?? {}).filter(([name, value]) => name in result && !Array.isArray(value));
  return { ...result, ...Object.fromEntries(echoed) };
};
