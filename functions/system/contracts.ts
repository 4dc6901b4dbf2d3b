import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';

export const getHealth = contract({
  id: 'system/get-health',
  method: 'GET',
  path: '/healthz',
  summary: 'Check that the service runs',
  description: 'This endpoint calls nothing else: it answers as long as functions run.',
  access: 'public',
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      status: schema({ type: 'string', enum: ['ok'] }),
      version: schema({
        type: 'string',
        description: 'The version of the deployed release.',
        examples: ['0.1.0'],
      }),
    }),
  },
  errors: [],
  table: [],
});

export const getReadiness = contract({
  id: 'system/get-readiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Check that the service can answer requests',
  description: 'This endpoint reads the table once. 503 means that the table does not answer.',
  access: 'public',
  answer: { kind: 'json', success: 200, result: object({ status: schema({ type: 'string', enum: ['ready'] }) }) },
  errors: [],
  table: ['BatchGetItem'],
});

const pageCaching = {
  // The address contains the release of the library, so its content never changes.
  'Cache-Control': 'public, max-age=31536000, immutable',
} as const;

export const getOpenApiDocument = contract({
  id: 'system/get-openapi-document',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get this document',
  description: 'The OpenAPI 3.1 document of the service, for generators and tools.',
  access: 'public',
  answer: {
    kind: 'file',
    name: 'openapi.json',
    mediaType: 'application/json',
    example: { openapi: '3.1.1', info: { title: 'Stockroom' } },
    description: 'An OpenAPI 3.1 document.',
  },
  errors: [],
  table: [],
});

export const getReferencePage = contract({
  id: 'system/get-reference-page',
  method: 'GET',
  path: '/docs',
  summary: 'Get the reference page',
  description: 'The page shows this document, lets readers try each endpoint and explains every error.',
  access: 'public',
  answer: {
    kind: 'file',
    name: 'reference.html',
    mediaType: 'text/html; charset=utf-8',
    // The page contains the rest of its policy, with the hashes of its script and style. A page cannot contain this directive.
    headers: { 'Content-Security-Policy': "frame-ancestors 'none'" },
    example: '<!doctype html>',
    description: 'An HTML page.',
  },
  errors: [],
  table: [],
});

export const getReferenceScript = contract({
  id: 'system/get-reference-script',
  method: 'GET',
  path: '/docs/swagger-ui-5.35.0.js',
  summary: 'Get the library of the reference page',
  description:
    'The library is Swagger UI. The service serves it, so that the page loads nothing from other hosts. It is compressed by gzip whatever `Accept-Encoding` says.',
  access: 'public',
  answer: {
    kind: 'file',
    name: 'reference.js',
    mediaType: 'text/javascript; charset=utf-8',
    isAlwaysCompressed: true,
    headers: pageCaching,
    example: '/* Swagger UI */',
    description: 'A script.',
  },
  errors: [],
  table: [],
});
