import { createHash } from 'node:crypto';
import { getReferencePage, getReferenceScript } from '../../../functions/system/contracts.ts';
import { type ErrorCode, errors } from '../../../shared/errors.ts';
import { problemType } from '../../../shared/http/problem.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const page = async (): Promise<string> => (await service.client.call(getReferencePage, {})).text;

describe('GET /docs', () => {
  itAnswers('200 to anybody', () => service.client.call(getReferencePage, {}));

  it('has a paragraph for every error, at the last part of its type', async () => {
    const text = await page();
    for (const code of Object.keys(errors) as ErrorCode[]) {
      const type = problemType(code);
      expect(text).toContain(`<article id="${type.split(':').at(-1)}"`);
      expect(text).toContain(`<p class="urn">${type}</p>`);
      expect(text).toContain(`<code>${code}</code>`);
    }
  });

  it('names nothing but its neighbours, by relative paths', async () => {
    const text = await page();
    const addresses = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses).toContain(getReferenceScript.path.slice(1));
    expect(addresses).toContain('openapi.json');
    expect(addresses.filter((address) => /^(?:\w+:)?\//.test(address) && !address.startsWith('data:'))).toEqual([]);
  });

  it('allows by its policy the scripts and styles that it holds, and no other host', async () => {
    const { text, headers } = await service.client.call(getReferencePage, {});
    // What a page cannot say of itself.
    expect(headers['content-security-policy']).toBe("frame-ancestors 'none'");
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
    expect(policy.replaceAll(/'sha256-[A-Za-z0-9+/]{43}='/g, 'HASH').split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self' HASH",
      'style-src HASH HASH',
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    for (const [, content = ''] of text.matchAll(/<(?:style|script)>(.*?)<\/(?:style|script)>/gs))
      expect(policy).toContain(`'sha256-${createHash('sha256').update(content).digest('base64')}'`);
  });
});
