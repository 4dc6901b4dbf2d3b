import { contract } from '../../shared/http/contract.ts';

export const getConsolePage = contract({
  id: 'console/get-console-page',
  method: 'GET',
  path: '/',
  summary: 'Get the console',
  description: 'A page for people: it signs in, and calls the same endpoints as everybody.',
  access: 'public',
  answer: {
    kind: 'file',
    name: 'console.html',
    mediaType: 'text/html; charset=utf-8',
    // The page contains the rest of its policy, with the hash of its style. A page cannot contain this directive.
    headers: { 'Content-Security-Policy': "frame-ancestors 'none'" },
    example: '<!doctype html>',
    description: 'An HTML page.',
  },
  errors: [],
  table: [],
  // It names the bucket, and has no right to anything in it.
  store: [],
});

export const getConsoleScript = contract({
  id: 'console/get-console-script',
  method: 'GET',
  path: '/console/{script}',
  summary: 'Get the script of the console',
  description:
    'Its name contains its hash, so that browsers keep it. It is compressed by gzip whatever `Accept-Encoding` says.',
  access: 'public',
  answer: {
    kind: 'file',
    name: 'console.js',
    mediaType: 'text/javascript; charset=utf-8',
    isAlwaysCompressed: true,
    headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
    example: '/* The console */',
    description: 'A script.',
  },
  errors: ['FILE_NOT_FOUND'],
  table: [],
});
