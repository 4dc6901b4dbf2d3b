import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useService } from '../harness/service.ts';
import { firstAdmin } from '../harness/world.ts';

const [head = '', ...requests] = readFileSync(join(__dirname, 'quickstart.http'), 'utf8').split(/^### /m);

/** The part of the REST Client's language that the file is written in: a title, comments, a request line, headers, a body. */
const parse = (text: string) => {
  const [top = '', ...body] = text.trim().split(/\n\n/);
  const [title = '', ...lines] = top.split('\n');
  const [requestLine = '', ...headers] = lines.filter((line) => !line.startsWith('#'));
  const [method = '', url = ''] = requestLine.split(' ');
  return {
    title,
    status: Number(title.match(/\d{3}$/)?.[0]),
    name: top.match(/^# @name (\w+)$/m)?.[1],
    method,
    url,
    headers: headers.map((line) => line.split(': ') as [string, string]),
    body: body.join('\n\n').trim() || undefined,
  };
};

const service = useService();
const variables: Record<string, string> = { '$processEnv STOCKROOM_ADMIN_PASSWORD': firstAdmin.password };

const filled = (text: string): string =>
  text.replaceAll(/\{\{([^}]+)\}\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`Nothing gives {{${name}}}.`);
    return filled(value);
  });

/** The client encodes `Basic username:password` itself. */
const encoded = (value: string): string =>
  value.replace(/^Basic (.*:.*)$/, (_, pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`);

beforeAll(() => {
  for (const [, name = '', value = ''] of head.matchAll(/^@(\w+) = (.*)$/gm)) variables[name] = value;
  variables.base = service.runner.url;
});

describe('test/documents/quickstart.http', () => {
  it.each(requests.map(parse).map((request) => [request.title, request] as const))('%s', async (_, request) => {
    const { name, method, url, headers, body } = request;
    const response = await fetch(filled(url), {
      method,
      headers: headers.map(([header, value]): [string, string] => [header, encoded(filled(value))]),
      ...(body !== undefined && { body: filled(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    expect({ status: response.status, answer }).toMatchObject({ status: request.status });
    if (name !== undefined)
      for (const [field, value] of Object.entries(answer))
        variables[`${name}.response.body.$.${field}`] = String(value);
  });
});
