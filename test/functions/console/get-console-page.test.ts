import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { getConsolePage } from '../../../functions/console/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

/** The most bytes of the page and its script together, as they cross the wire. */
const firstLoadBytesMax = 60_000;

const policyIn = (page: string): string =>
  /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';

describe('GET /', () => {
  itAnswers('200 to anybody', () => service.client.call(getConsolePage, {}));

  it('allows the script of this service and its own style, no other host, and no text as HTML', async () => {
    const { text, headers } = await service.client.call(getConsolePage, {});
    // What a page cannot say of itself.
    expect(headers['content-security-policy']).toBe("frame-ancestors 'none'");
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    expect(policyIn(text).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      // The bucket, for uploads: the engine of the tests has it in the path.
      `connect-src 'self' ${service.runner.variablesOf('console/get-console-page').AWS_ENDPOINT_URL_S3}/${service.runner.bucket}/`,
      'img-src data:',
      "form-action 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      // Its rule makes every text into the address of the page's own script.
      'trusted-types worker',
    ]);
  });

  it('names its script by a relative path, and weighs at most 60 kB with it', async () => {
    const { text } = await service.client.call(getConsolePage, {});
    const scripts = [...text.matchAll(/<script type="module" src="([^"]*)"><\/script>/g)].map(([, path = '']) => path);
    expect(scripts).toEqual([expect.stringMatching(/^console\/console-[0-9a-f]{16}\.js$/)]);
    const script = await fetch(`${service.runner.url}/${scripts[0]}`);
    const bytes = Number(script.headers.get('content-length')) + gzipSync(text).length;
    expect([script.headers.get('content-encoding'), script.status]).toEqual(['gzip', 200]);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(firstLoadBytesMax);
  });
});
