import type { RequestListener } from 'node:http';
import type { Service } from './service.ts';
import { sha256 } from './sha256.ts';
import { serving, type Upstream } from './upstream.ts';

/** Answers as a registry of its own what a local repository has: with its own addresses in documents, and an ETag. */
export const mirrorOf = ({ runner }: Pick<Service, 'runner'>, upstream: Upstream, as: string): RequestListener => {
  const answer = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const { url = '/', headers } = request;
    const found = await fetch(runner.url + url, { headers: { Authorization: as, Accept: headers.accept ?? '*/*' } });
    if (found.status !== 200) {
      response.writeHead(found.status).end();
      return;
    }
    const bytes = Buffer.from(await found.arrayBuffer());
    const type = found.headers.get('content-type') ?? '';
    const isText = /json|text|xml|yaml/.test(type);
    const content = isText ? bytes.toString().replaceAll(runner.url, upstream.url) : bytes;
    const digest = found.headers.get('docker-content-digest');
    const sent = { ETag: `"${sha256(content)}"`, 'Content-Type': type };
    serving(content, { ...sent, ...(digest !== null && { 'Docker-Content-Digest': digest }) })(request, response);
  };
  return (request, response) => void answer(request, response).catch(() => response.destroy());
};
