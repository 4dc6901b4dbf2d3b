import { accessWords } from '../access.ts';
import { type Contract, isOpen } from '../http/contract.ts';
import type { Documenter, Json } from '../http/documenter.ts';
import { exampleOf } from './examples.ts';
import { describedRequest } from './kinds.ts';
import { linksTo } from './links.ts';
import { headers, responsesOf, responsesToHead, sharedResponses } from './responses.ts';
import { documentedSchema, type NamedSchemas, problemSchema, sentence, violationSchema } from './schemas.ts';
import { consoleParameters, idempotencyKeyParameter, overview, securitySchemes, type Words } from './words.ts';

/** The OpenAPI 3.1 document of the service. */
interface OpenApiDocument extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** One endpoint in the document. */
export interface Operation extends Json {
  readonly operationId: string;
  readonly responses: Json;
}

type Groups = Words['tags'];

/** Makes the document from the contracts, the error table, and the words of the endpoints and of words.ts. */
export const openApiDocument = (
  endpoints: readonly Contract[],
  version: string,
  documentWords: Words,
): OpenApiDocument => {
  const named: NamedSchemas = new Map();
  const { tags: groups } = documentWords;
  const paths = pathsOf(endpoints, named, documentWords);
  const responses = sharedResponses(used('responses', paths)) as Record<string, Json>;
  const usedHeaders = used('headers', [paths, responses]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Stockroom',
      version,
      summary: 'The control plane of a package repository manager.',
      description: overview,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // The URL is relative to the address of the document, so that it is correct behind any stage and any base path.
    servers: [{ url: '.', description: 'Where this document is served.' }],
    tags: Object.values(groups).map(({ title, description }) => ({ name: title, description })),
    paths,
    components: {
      schemas: { ...Object.fromEntries(named), Problem: problemSchema, Violation: violationSchema },
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => usedHeaders.has(name))),
      responses,
      securitySchemes,
    },
  };
};

/** The names of the components of a kind that a part of the document refers to. */
const used = (kind: string, part: unknown): ReadonlySet<string> =>
  new Set(
    Array.from(JSON.stringify(part).matchAll(new RegExp(`#/components/${kind}/([\\w-]+)`, 'g')), ([, name]) =>
      String(name),
    ),
  );

const pathsOf = (endpoints: readonly Contract[], named: NamedSchemas, of: Words): OpenApiDocument['paths'] => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const contract of inOrderOfTags(endpoints, of.tags)) {
    const path = contract.path.replace('+}', '}');
    const words: Documenter = {
      schema: (shape) => documentedSchema(shape, named),
      example: (shape) => exampleOf(shape, `${contract.id}: `),
      links: (location) => linksTo(location, endpoints),
    };
    const operation = operationOf(contract, words, of);
    const head = contract.head && { head: headOf(operation) };
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation, ...head };
  }
  return paths;
};

/** The group of an endpoint, which is its folder. */
const tagOf = ({ id }: Contract, groups: Groups): string => {
  const [folder = ''] = id.split('/');
  if (!groups[folder])
    throw new Error(
      `The folder ${folder} of ${id} has no tag: add it to the words of the document, or to those of its package type.`,
    );
  return folder;
};

const inOrderOfTags = (endpoints: readonly Contract[], groups: Groups): Contract[] => {
  const byTag = Map.groupBy(endpoints, (contract) => tagOf(contract, groups));
  return Object.keys(groups).flatMap((tag) => byTag.get(tag) ?? []);
};

/** HEAD has the answers of GET without their content. */
const headOf = (operation: Operation): Operation => ({
  ...operation,
  operationId: `${operation.operationId}/head`,
  summary: `${String(operation.summary)}: headers only`,
  responses: responsesToHead(operation.responses),
});

const operationOf = (
  contract: Contract,
  words: Documenter,
  { tags: groups, pathParameters, refusalHeaders }: Words,
): Operation => {
  const tag = tagOf(contract, groups);
  const { id, summary, description, access, request } = contract;
  const parameters = [
    ...pathParametersOf(contract, pathParameters),
    ...queryParametersOf(contract, words),
    ...(contract.idempotencyKey === 'taken' ? [idempotencyKeyParameter] : []),
    ...(contract.readsCookie ? consoleParameters : []),
  ];
  return {
    operationId: id,
    tags: [groups[tag]?.title],
    summary,
    description: [description, `**Who:** ${sentence(accessWords[access])}`].filter(Boolean).join('\n\n'),
    security: securityOf(contract),
    ...(parameters.length > 0 && { parameters }),
    ...(request && { requestBody: describedRequest(request, contract.method, words) }),
    responses: responsesOf(contract, words, refusalHeaders[tag]),
  };
};

const securityOf = (contract: Contract): Json[] => {
  if (contract.access === 'public') return [];
  const forms = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
  // The empty requirement makes the header optional: the credential may be in the body.
  return isOpen(contract) ? [{}, ...forms] : forms;
};

const pathParametersOf = ({ path }: Contract, pathParameters: Words['pathParameters']): Json[] =>
  Array.from(path.matchAll(/\{(\w+)\+?\}/g), ([, name = '']) => {
    const words = pathParameters[name];
    if (!words)
      throw new Error(
        `The path parameter ${name} is not described: add it to the words of the document, or to those of its package type.`,
      );
    return { name, in: 'path', required: true, schema: { type: 'string' }, ...words };
  });

const queryParametersOf = ({ query }: Contract, words: Documenter): Json[] =>
  Object.entries(query?.properties ?? {}).map(([name, field]) => {
    const { description, ...schema } = words.schema(field);
    const required = query?.required.includes(name);
    return { name, in: 'query', required, description, schema };
  });
