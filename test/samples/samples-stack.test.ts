import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Match } from 'aws-cdk-lib/assertions';
import { documentWords } from '../../functions/document-words.ts';
import { endpoints } from '../../functions/endpoints.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { synthesiseVariant } from '../infra/templates.ts';
import { sampleEndpoints, sampleTags } from '../sample-endpoints/endpoints.ts';
import { getSample } from '../sample-endpoints/samples/contracts.ts';

const root = join(__dirname, '..', '..');
const run = promisify(execFile);
const words = { ...documentWords, tags: sampleTags };
const sampleDocument = openApiDocument(sampleEndpoints, '1.0.0', words);
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-samples-'));
});

afterAll(() => rmSync(directory, { recursive: true }));

describe('The document of endpoints of all kinds', () => {
  it('has nothing that its linter objects to', async () => {
    const file = join(directory, 'openapi.json');
    writeFileSync(file, JSON.stringify(sampleDocument));
    const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin', 'cli.js');
    const { stdout } = await run(process.execPath, [cli, 'lint', file, '--format=json'], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      maxBuffer: 10_000_000,
    });
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('says what each kind takes and answers', () => {
    const { post, put: form } = sampleDocument.paths['/samples/{workspace}/{repository}'] ?? {};
    const { get, head, put } = sampleDocument.paths['/samples/{workspace}/{repository}/{path}'] ?? {};
    expect(Object.keys(get?.responses ?? {})).toEqual(expect.arrayContaining(['200', '206', '302', '304', '416']));
    // Ranges are answers to GET alone (RFC 9110 section 14.2).
    const ofHead = Object.keys(get?.responses ?? {}).filter((status) => status !== '206' && status !== '416');
    expect(Object.keys(head?.responses ?? {})).toEqual(ofHead);
    expect(head?.operationId).toBe('samples/get-sample/head');
    expect(put?.requestBody).toMatchObject({ required: true, content: { 'text/plain': {} } });
    expect(post?.requestBody).toMatchObject({
      content: { 'multipart/form-data': { schema: { required: ['sampleFiles', 'label'] } } },
    });
    expect(form?.requestBody).toMatchObject({
      content: { 'multipart/form-data': { schema: { properties: { content: { type: 'string' } } } } },
    });
    expect(post?.responses).toHaveProperty([
      '400',
      'content',
      'application/problem+json',
      'examples',
      'BODY_MALFORMED',
    ]);
  });

  it('asks for the words of a folder that has none', () => {
    const missing = 'The folder samples of samples/get-sample has no tag';
    expect(() => openApiDocument([getSample], '1.0.0', documentWords)).toThrow(missing);
    expect(() => openApiDocument([getSample], '1.0.0', words)).not.toThrow();
  });
});

describe('The stack of endpoints of all kinds', () => {
  const all = [...endpoints, ...sampleEndpoints];
  const { template } = synthesiseVariant({ stage: 'prod', endpoints: all });
  const path = '/samples/{workspace}/{repository}/{path+}';
  const parameters = ['workspace', 'repository', 'path'].map((name) => Match.objectLike({ name, in: 'path' }));
  const operation = Match.objectLike({ parameters });

  it('has a route for each method, HEAD too, whose parameters API Gateway knows', () => {
    const paths = { [path]: Match.exact({ get: operation, head: operation, put: operation, delete: operation }) };
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { Body: { paths: Match.objectLike(paths) } });
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])(
    'lets API Gateway call the function by %s, below the path alone',
    (method) => {
      const SourceArn = { 'Fn::Join': ['', Match.arrayWith([`/api/${method}/samples/*/*/*`])] };
      template.resourcePropertiesCountIs('AWS::Lambda::Permission', { SourceArn }, 1);
    },
  );

  it('names the store to the functions that have rights on it, and to no other', () => {
    const told = template.findResources('AWS::Lambda::Function', {
      Properties: { Environment: { Variables: { STORE_BUCKET: Match.anyValue() } } },
    });
    const ids = Object.values(told).map(
      ({ Metadata }) => (Metadata as Record<string, unknown>)['stockroom:functionId'],
    );
    const withRights = all.filter(({ store }) => store).map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set([...withRights, 'fetcher', 'importer', 'sweeper', 'verifier']));
    expect(ids).toEqual(expect.arrayContaining(['samples/get-sample', 'samples/put-sample', 'samples/add-samples']));
  });
});

describe('The build of a contract', () => {
  /** Bundles a module of contracts as the functions are bundled. */
  const build = async (contracts: string): Promise<string> => {
    const file = join(directory, 'contracts.ts');
    writeFileSync(file, contracts);
    const script = `
      import { build } from 'esbuild';
      import { builtContracts } from ${JSON.stringify(join(root, 'infra', 'api', 'built-contracts.ts'))};
      const [file] = process.argv.slice(1);
      const options = { entryPoints: [file], bundle: true, write: false, platform: 'node', logLevel: 'silent' };
      await build({ ...options, plugins: [builtContracts] }).catch(({ message }) => console.log(message));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, file], { cwd: root });
    return stdout;
  };
  const written = (fields: string): string =>
    `export const made = { id: 'a/b', method: 'GET', path: '/a', summary: '', access: 'user', errors: [], table: [], ${fields} };`;
  const answer = `answer: { kind: 'redirect', description: '' }`;

  it('succeeds with the fields that it knows', async () => {
    expect(await build(written(answer))).toBe('');
  });

  it.each([
    [
      'a field that it does not know',
      `${answer}, tabel: []`,
      "The contract a/b has a field 'tabel' that nothing reads.",
    ],
    [
      'a field of a request that it does not know',
      `${answer}, request: { kind: 'bytes', bytesMax: 1, streamed: true }`,
      "The contract a/b has a field 'streamed' that nothing reads.",
    ],
    [
      'a field of an answer that it does not know',
      `answer: [{ kind: 'bytes', success: 200, gzip: true }]`,
      "The contract a/b has a field 'gzip' that nothing reads.",
    ],
    [
      'a kind that it does not know',
      `answer: { kind: 'page' }`,
      "The contract a/b has a field 'kind' that nothing reads.",
    ],
    ['HEAD without GET', `${answer}, method: 'POST', head: true`, 'The contract a/b has HEAD without GET.'],
    [
      'a schema that is none',
      `${answer}, query: { type: 'object', properties: { limit: { type: 'string', minLength: -1 } } }`,
      'schema is invalid: data/properties/limit/minLength must be >= 0',
    ],
  ])('fails at %s', async (_, fields, message) => {
    expect(await build(written(fields))).toContain(message);
  });
});
