import { contract } from '../../shared/http/contract.ts';
import { object, schema } from '../../shared/http/schema.ts';

export const getHealth = contract({
  id: 'system/get-health',
  method: 'GET',
  path: '/healthz',
  summary: 'Tell that the service runs',
  description: 'Depends on nothing else: it answers as long as functions run.',
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
  summary: 'Tell that the service can serve',
  description: 'Reads the table once: a 503 means that it does not answer.',
  access: 'public',
  answer: { kind: 'json', success: 200, result: object({ status: schema({ type: 'string', enum: ['ready'] }) }) },
  errors: [],
  table: ['BatchGetItem'],
});

const pageCaching = {
  // The address names the release of the library, so what it holds never changes.
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
  description: 'Shows this document to people, lets them try each endpoint and explains every error.',
  access: 'public',
  answer: {
    kind: 'file',
    name: 'reference.html',
    mediaType: 'text/html; charset=utf-8',
    // The page carries the rest of its policy itself, with the hashes of its own script and style; this cannot stand there.
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
  description: 'Swagger UI, served from here so that the page asks no other host for anything.',
  access: 'public',
  answer: {
    kind: 'file',
    name: 'reference.js',
    mediaType: 'text/javascript; charset=utf-8',
    headers: pageCaching,
    example: '/* Swagger UI */',
    description: 'A script.',
  },
  errors: [],
  table: [],
});
