import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { endpoints } from '../../functions/endpoints.ts';
import { openApiFile, openApiText } from '../../infra/openapi.ts';
import { describe as describeRedirect } from '../../shared/http/answers/redirect.ts';
import { answersOf, type Contract, jsonBodyOf } from '../../shared/http/contract.ts';
import { errorCodesOf } from '../../shared/http/contract-errors.ts';
import {
  at,
  checkAgainstDocument,
  document,
  operationPointer,
  target,
  uuid,
  validate,
} from '../harness/document-rules.ts';

interface MediaType {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Response {
  readonly headers: object;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly links?: Readonly<Record<string, { operationId: string; parameters: Readonly<Record<string, string>> }>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response>>;
}

const operationOf = (contract: Contract): Operation => at(operationPointer(contract)) as Operation;

const responsesOf = (contract: Contract): [string, Response][] =>
  Object.keys(operationOf(contract).responses).map((status) => {
    const pointer = target(`${operationPointer(contract)}/responses/${status}`);
    return [status, at(pointer) as Response];
  });

const examplesIn = ({ example, examples = {} }: MediaType): unknown[] =>
  example === undefined ? Object.values(examples).map(({ value }) => value) : [example];

const each = endpoints.map((contract) => [contract.id, contract] as const);

describe('the OpenAPI document', () => {
  it('says of a redirect that its client may have the bytes already, and of both kinds of 304 all headers', () => {
    const described = describeRedirect({ kind: 'redirect', description: 'To the file.', headers: ['Vary'] });
    const ofPackages = [
      'X-Stockroom-Origin',
      'X-Stockroom-Cache',
      'X-Stockroom-Gate',
      'X-Stockroom-Published',
      'Warning',
    ];
    expect(described[304]?.headers).toEqual([...ofPackages, 'Vary', 'ETag']);
    for (const [, contract] of each.filter(([, one]) => answersOf(one).some(({ kind }) => kind === 'redirect'))) {
      const names = Object.keys(operationOf(contract).responses['304']?.headers ?? {});
      expect([contract.id, names]).toEqual([contract.id, expect.arrayContaining(['ETag', 'Warning', 'Vary'])]);
    }
  });

  it('has content in no answer to HEAD and of no status that never has any, also where endpoints share it', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses).map(([status, response]) => {
          const { $ref } = response as { $ref?: string };
          const { content } = ($ref === undefined ? response : at($ref.slice(1))) as Response;
          return { named: `${method} ${path} ${status}`, method, status, content };
        }),
      ),
    );
    const empty = described.filter(({ method, status }) => method === 'head' || /^(?:204|205|304)$/.test(status));
    expect(empty.filter(({ content }) => content).map(({ named }) => named)).toEqual([]);
    // A range is of the answer to GET alone.
    expect(empty.filter(({ status }) => status === '206' || status === '416')).toEqual([]);
    for (const status of ['204', '304', '200', '404']) expect(empty.map((one) => one.status)).toContain(status);
  });

  it('is the committed file (npm run openapi writes it)', () => {
    expect(readFileSync(openApiFile, 'utf8') === openApiText()).toBe(true);
  });

  it('has nothing that its linter objects to, but for pairs of paths that the gateway can tell apart', async () => {
    const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin', 'cli.js');
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'lint', openApiFile, '--format=json'], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      maxBuffer: 10_000_000,
    });
    const packages = '/1/workspaces/{workspace}/repositories/{repository}/packages';
    const pairs = [
      // One is for GET and the other one for POST, so a package may have that name.
      [`${packages}/{package}/versions`, `${packages}/uploads/{upload}`],
      // The static segment comes first, and no user can have its name.
      ['/1/users/personal-access-tokens/{tokenId}', '/1/users/{user}/personal-access-tokens'],
      ['/1/users/personal-access-tokens/{tokenId}', '/1/users/{user}/sessions'],
    ];
    expect(JSON.parse(stdout)).toMatchObject({
      totals: { errors: 0, warnings: pairs.length },
      problems: pairs.map(([one, other]) => ({
        ruleId: 'no-ambiguous-paths',
        message: `Paths should resolve unambiguously. Found two ambiguous paths: \`${one}\` and \`${other}\`.`,
      })),
    });
  });

  it('assumes no place: its server is where it is served', () => {
    const [server] = document.servers as { url: string }[];
    expect(new URL(server?.url ?? '', 'https://example.com/prod/openapi.json').href).toBe('https://example.com/prod/');
  });

  it('has an operation for every endpoint and no other', () => {
    const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((o) => o.operationId));
    const expected = endpoints.flatMap(({ id, head }) => (head ? [id, `${id}/head`] : [id]));
    expect(ids.toSorted()).toEqual(expected.toSorted());
  });

  it.each(each)('%s: every response has a schema, headers and examples that obey the schema', (_, contract) => {
    for (const [status, response] of responsesOf(contract)) {
      expect(Object.keys(response.headers)).toContain('X-Request-Id');
      for (const [mediaType, content] of Object.entries(response.content ?? {})) {
        const examples = examplesIn(content);
        expect(examples).not.toHaveLength(0);
        const pointer = `${operationPointer(contract)}/responses/${status}`;
        for (const example of examples)
          validate(`${target(pointer)}/content/${mediaType.replaceAll('/', '~1')}/schema`, example);
      }
    }
  });

  it.each(each)('%s: every error code is listed with its status and an example', (_, contract) => {
    const documented = responsesOf(contract).flatMap(([status, { content }]) =>
      Object.keys(content?.['application/problem+json']?.examples ?? {}).map((code) => [code, Number(status)]),
    );
    const codes = documented.map(([code]) => String(code));
    expect(codes.toSorted()).toEqual([...errorCodesOf(contract)].toSorted());
  });

  it.each(each.filter(([, contract]) => answersOf(contract).some((answer) => 'location' in answer)))(
    '%s: the response links to the operation that gets what was created',
    (_, contract) => {
      const { links = {}, content } = operationOf(contract).responses[201] as Response;
      const [link, ...others] = Object.values(links);
      const reader = endpoints.find(({ id }) => id === link?.operationId) as Contract;
      expect(others).toEqual([]);
      expect(reader.method).toBe('GET');
      const fieldOf = (name: string) => /^\$response\.body#\/(\w+)$/.exec(link?.parameters[name] ?? '')?.[1] ?? name;
      const location = reader.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => `{${fieldOf(name)}}`);
      expect(location).toBe(
        answersOf(contract).flatMap((answer) => (answer.kind === 'json' ? answer.location : []))[0],
      );
      for (const example of examplesIn(content?.['application/json'] as MediaType))
        for (const name of Object.keys(link?.parameters ?? {}))
          expect((example as Record<string, unknown>)[fieldOf(name)]).toMatch(uuid);
    },
  );

  it.each(each.filter(([, contract]) => jsonBodyOf(contract)))(
    '%s: the example of the request obeys its schema',
    (_, contract) => {
      const content = operationOf(contract).requestBody?.content['application/json'];
      const pointer = `${operationPointer(contract)}/requestBody/content/application~1json/schema`;
      for (const example of examplesIn(content as MediaType)) validate(pointer, example);
    },
  );
});

describe('an answer that the document does not announce', () => {
  const health = endpoints.find(({ id }) => id === 'system/get-health') as Contract;
  const headers = {
    'content-type': 'application/json',
    'x-request-id': 'r',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=1',
    'content-security-policy': 'sandbox',
  };
  const reply = { status: 200, headers, text: '{"status":"ok","version":"1"}' };

  it('is told from one that it does', () => {
    expect(() => checkAgainstDocument(health, reply)).not.toThrow();
    expect(() => checkAgainstDocument(health, { ...reply, status: 202 })).toThrow('no response 202');
    expect(() => checkAgainstDocument(health, { ...reply, text: '{"status":"ok","version":"1","host":"h"}' })).toThrow(
      'must NOT have additional properties',
    );
    const undocumented = { ...reply, headers: { ...headers, 'x-powered-by': 'us' } };
    expect(() => checkAgainstDocument(health, undocumented)).toThrow('no header x-powered-by');
    const { 'cache-control': _, ...fewer } = headers;
    expect(() => checkAgainstDocument(health, { ...reply, headers: fewer })).toThrow('Cache-Control is missing');
    const html = { ...reply, headers: { ...headers, 'content-type': 'text/html' } };
    expect(() => checkAgainstDocument(health, html)).toThrow("no media type 'text/html'");
  });
});
