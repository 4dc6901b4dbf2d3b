import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';

// An upstream that has a large file under every path, or a proxy that passes on what the upstream in its parameter sends.
const [, , upstream] = process.argv;
const chunk = randomBytes(1_000_000);
const chunks = 100;

const server = createServer((request, response) => {
  if (upstream === undefined) {
    response.writeHead(200, { 'Content-Length': chunk.length * chunks });
    pipeline(Readable.from(Array.from({ length: chunks }, () => chunk)), response, () => {});
    return;
  }
  get(upstream + (request.url ?? ''), (answer) => {
    response.writeHead(200, { 'Content-Length': answer.headers['content-length'] });
    pipeline(answer, response, () => {});
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  writeSync(3, `${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
