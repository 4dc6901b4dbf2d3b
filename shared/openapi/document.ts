import type { Contract } from '../http/contract.ts';
import { bodyExampleOf } from './examples.ts';
import { headers, responsesOf, sharedResponses } from './responses.ts';
import { documentedSchema, type Json, type NamedSchemas, problemSchema, violationSchema } from './schemas.ts';
import { accessWords, overview, pathParameters, securitySchemes, tags } from './words.ts';

/** The OpenAPI 3.1 document of the service. */
export interface OpenApiDocument extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** One endpoint in the document. */
export interface Operation extends Json {
  readonly operationId: string;
  readonly responses: Json;
}

/** Makes the document from the contracts: everything in it is said there, in the error table or in the words beside. */
export const openApiDocument = (endpoints: readonly Contract[], version: string): OpenApiDocument => {
  const named: NamedSchemas = new Map();
  const paths = pathsOf(endpoints, named);
  const text = JSON.stringify(paths);
  const used = (kind: string) =>
    new Set(Array.from(text.matchAll(new RegExp(`#/components/${kind}/([\\w-]+)`, 'g')), ([, name]) => String(name)));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Stockroom',
      version,
      summary: 'The control plane of a package repository manager.',
      description: overview,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the address of the document, so that a stage or a base path in front of both does not matter.
    servers: [{ url: '.', description: 'Where this document is served.' }],
    tags: Object.values(tags).map(({ title, description }) => ({ name: title, description })),
    paths,
    components: {
      schemas: { ...Object.fromEntries(named), Problem: problemSchema, Violation: violationSchema },
      headers: headers,
      responses: sharedResponses(used('responses')) as Record<string, Json>,
      securitySchemes,
    },
  };
};

const pathsOf = (endpoints: readonly Contract[], named: NamedSchemas): OpenApiDocument['paths'] => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const tag of Object.keys(tags))
    for (const contract of endpoints.filter(({ id }) => id.startsWith(`${tag}/`))) {
      const operation = operationOf(contract, tag, named);
      paths[contract.path] = { ...paths[contract.path], [contract.method.toLowerCase()]: operation };
    }
  return paths;
};

const operationOf = (contract: Contract, tag: string, named: NamedSchemas): Operation => {
  const { id, summary, description, access, body } = contract;
  const parameters = [...pathParametersOf(contract), ...queryParametersOf(contract, named)];
  return {
    operationId: id,
    tags: [tags[tag]?.title],
    summary,
    description: [description, `**Who:** ${accessWords[access]}`].filter(Boolean).join('\n\n'),
    security: access === 'public' ? [] : Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: documentedSchema(body, named),
            examples: { example: { value: bodyExampleOf(contract) } },
          },
        },
      },
    }),
    responses: responsesOf(contract, named),
  };
};

const pathParametersOf = ({ path }: Contract): Json[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => {
    const words = pathParameters[name];
    if (!words) throw new Error(`The path parameter ${name} is not described: add it to the words of the document.`);
    return { name, in: 'path', required: true, schema: { type: 'string' }, ...words };
  });

const queryParametersOf = ({ query }: Contract, named: NamedSchemas): Json[] =>
  Object.entries(query?.properties ?? {}).map(([name, field]) => {
    const { description, ...schema } = documentedSchema(field, named);
    const required = query?.required.includes(name);
    return { name, in: 'query', required, description, schema };
  });
