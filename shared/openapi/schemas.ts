import type { Json } from '../http/documenter.ts';
import type { Schema } from '../http/schema.ts';

/** The schemas with a title, by their title: the document refers to them. */
export type NamedSchemas = Map<string, Json>;

/** A phrase as a sentence. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/**
 * A schema in the words of OpenAPI 3.1, which are those of JSON Schema. Only our own keywords are rewritten: `allowed` becomes
 * part of the description, and `title` the name of a component.
 */
export const documentedSchema = (shape: Schema, named: NamedSchemas): Json => {
  const { allowed, title, ...rest } = shape;
  const description = [shape.description, allowed && sentence(allowed)].filter(Boolean).join(' ');
  const documented = { ...rest, ...(description && { description }), ...partsOf(shape, named) };
  if (title === undefined) return documented;
  named.set(title, documented);
  return { $ref: `#/components/schemas/${title}` };
};

const partsOf = (shape: Schema, named: NamedSchemas): Json => {
  if ('oneOf' in shape) return { oneOf: shape.oneOf.map((member) => documentedSchema(member, named)) };
  if ('items' in shape) return { items: documentedSchema(shape.items, named) };
  if (!('properties' in shape)) return {};
  const fields = Object.entries(shape.properties).map(([name, field]) => [name, documentedSchema(field, named)]);
  return { properties: Object.fromEntries(fields) };
};

const text = (description: string, examples: readonly string[]): Json => ({ type: 'string', description, examples });

/** The body of every refusal (RFC 9457). */
export const problemSchema: Json = {
  type: 'object',
  description: 'A description of the problem for people and for programs (RFC 9457).',
  properties: {
    type: {
      ...text(
        'A URN that identifies the kind of problem and never changes: `urn:stockroom:problem:` and the code in lower case with hyphens. It is a name, not an address. The reference page explains each kind.',
        ['urn:stockroom:problem:repository-name-taken'],
      ),
      pattern: '^urn:stockroom:problem:[a-z-]+$',
    },
    title: text('The kind of problem in a few words.', ['Repository name taken']),
    status: { type: 'integer', description: 'The HTTP status.', minimum: 400, maximum: 599, examples: [409] },
    detail: text('What happened, in one or more sentences that say what to do.', [
      "A repository named 'npm-local' already exists in this workspace.",
    ]),
    code: { ...text('The kind of problem, for programs.', ['REPOSITORY_NAME_TAKEN']), pattern: '^[A-Z_]+$' },
    message: text('The same as `detail`.', ["A repository named 'npm-local' already exists in this workspace."]),
    errors: {
      type: 'array',
      description: 'The sentences of `detail`, one by one. The array is never empty.',
      items: {
        oneOf: [
          { type: 'string' },
          {
            type: 'object',
            description: 'The sentence as an object, where the clients of a package type read it so.',
            properties: { detail: text('The sentence.', ['demo 1.0.0 already exists.']) },
            required: ['detail'],
            additionalProperties: false,
          },
          {
            type: 'object',
            description:
              'The sentence with a code of the distribution API, as clients of registries of images read it.',
            properties: {
              code: text('What kind of error it is for these clients.', ['MANIFEST_UNKNOWN']),
              message: text('The sentence.', ['The image has no such manifest, or no such tag.']),
              detail: { type: 'null', description: 'There is nothing more to say.' },
            },
            required: ['code', 'message', 'detail'],
            additionalProperties: false,
          },
        ],
      },
      minItems: 1,
    },
    violations: {
      type: 'array',
      description:
        'The rules that the request breaks, at most 100 of them. The array is empty unless the code is REQUEST_INVALID.',
      items: { $ref: '#/components/schemas/Violation' },
      maxItems: 100,
    },
    error: text('The same as `detail`, where the clients of a package type print this member.', [
      'left-pad 1.0.0 already exists, and what was published never changes.',
    ]),
    requestId: text('The same as the header X-Request-Id. Quote it when you report a problem.', [
      '5f0c2f5e-8a0e-4c43-9d0e-3f4c1b2a7d61',
    ]),
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'message', 'errors', 'violations', 'requestId'],
  additionalProperties: false,
};

export const violationSchema: Json = {
  type: 'object',
  description: 'One broken rule.',
  properties: {
    pointer: text(
      'The field at fault, as a JSON pointer (RFC 6901) into the body. It is empty if the whole request is at fault.',
      ['/name'],
    ),
    rule: text('The name of the rule.', ['pattern']),
    message: text('A sentence that names the field and says what is allowed.', [
      'name must be 1 to 30 lowercase letters, digits and hyphens.',
    ]),
  },
  required: ['pointer', 'rule', 'message'],
  additionalProperties: false,
};
