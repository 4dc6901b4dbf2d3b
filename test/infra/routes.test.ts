import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../../functions/endpoints.ts';
import { functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { isOpen, methodsOf } from '../../shared/http/contract.ts';
import { synthesisOfDev } from './templates.ts';

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-amazon-apigateway-integration': { readonly type: string; readonly uri: unknown };
}

interface ApiBody {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, unknown>> };
  readonly 'x-amazon-apigateway-binary-media-types': readonly string[];
  readonly 'x-amazon-apigateway-gateway-responses': Readonly<
    Record<string, { readonly responseTemplates: Readonly<Record<string, string>> }>
  >;
}

/** All that API Gateway lets through without a credential; whoever adds one adds it here too. */
const openPaths = [
  '/',
  '/1/sessions',
  '/1/sessions',
  '/1/sessions/renew',
  '/1/tokens/exchange',
  '/console/{script}',
  '/docs',
  '/docs/swagger-ui-5.35.0.js',
  '/healthz',
  '/npm/{workspace}/{repository}/-/user/{path+}',
  '/openapi.json',
  '/readyz',
];

/** The functions that serve no route. */
const withoutRoute = ['authorizer', 'fetcher', 'first-admin', 'importer', 'sweeper', 'verifier'];

const { templates, template, resources } = synthesisOfDev();
const [api] = Object.values(template.findResources('AWS::ApiGateway::RestApi'));
const body = api?.Properties.Body as ApiBody;
const routes = Object.entries(body.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const functionIds = resources
  .map(({ Metadata }) => Metadata?.[functionIdMetadata])
  .filter((id) => typeof id === 'string');

/** The output of a nested stack, or the resource, that an invocation URI names. */
const nameIn = (uri: unknown): string =>
  /"Fn::GetAtt":\["\w+","Outputs\.(\w+)"\]/.exec(JSON.stringify(uri))?.[1] ?? JSON.stringify(uri);

/** The id of the function behind such an output. */
const functionOf = (output: string): unknown => {
  for (const [, { Resources, Outputs = {} }] of templates) {
    const [id] = (Outputs[output]?.Value as { 'Fn::GetAtt': [string] } | undefined)?.['Fn::GetAtt'] ?? [];
    if (id !== undefined) return Resources[id]?.Metadata?.[functionIdMetadata];
  }
  return undefined;
};

describe('the routes of the API', () => {
  it('are those of the contracts, each to the function of its contract', () => {
    const served = routes.map(({ path, method, operation }) => [
      `${method.toUpperCase()} ${path}`,
      functionOf(nameIn(operation['x-amazon-apigateway-integration'].uri)),
    ]);
    const promised = endpoints.flatMap((contract) =>
      methodsOf(contract).map((method) => [`${method} ${contract.path}`, contract.id]),
    );
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(promised));
    expect(served).toHaveLength(promised.length);
  });

  it('answer HEAD where clients of packages ask with GET, unless that changes something', () => {
    // People and monitors read the open routes, whose limits are set route by route.
    const asked = endpoints.filter((each) => each.method === 'GET' && !each.path.startsWith('/1/') && !isOpen(each));
    const wrong = asked.filter(({ head, changesByGet }) => Boolean(head) === Boolean(changesByGet));
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('call what is live, as the authorizer is called', () => {
    const schemes = Object.values(body.components.securitySchemes) as Record<string, { authorizerUri: unknown }>[];
    const uris = [
      ...routes.map(({ operation }) => operation['x-amazon-apigateway-integration'].uri),
      ...schemes.map((scheme) => scheme['x-amazon-apigateway-authorizer']?.authorizerUri),
    ];
    expect(uris.map((uri) => JSON.stringify(uri)).filter((uri) => !uri.endsWith(':live/invocations"]]}'))).toEqual([]);
  });

  it('have the authorizer, but for the listed open ones', () => {
    const open = routes.filter(({ operation }) => operation.security.length === 0).map(({ path }) => path);
    expect(open.toSorted()).toEqual(openPaths);
    const scheme = Object.keys(body.components.securitySchemes);
    for (const { operation } of routes.filter(({ path }) => !openPaths.includes(path)))
      expect(operation.security).toEqual([{ [scheme[0] ?? '']: [] }]);
    expect(scheme).toHaveLength(1);
  });

  it('are one per function, and one more where it answers HEAD, but for the authorizer, the sweeper and the first admin', () => {
    const called = routes
      .filter(({ method }) => method !== 'head')
      .map(({ operation }) => functionOf(nameIn(operation['x-amazon-apigateway-integration'].uri)));
    expect([...called, ...withoutRoute].map(String).toSorted()).toEqual(functionIds.toSorted());
    expect(new Set(functionIds).size).toBe(functionIds.length);
  });

  it('are each allowed to call their own function, and it alone', () => {
    const ofGateway = { Properties: { Principal: 'apigateway.amazonaws.com' } };
    const allowed = Object.values(template.findResources('AWS::Lambda::Permission', ofGateway))
      .map(({ Properties }) => {
        const { SourceArn, FunctionName } = Properties as {
          SourceArn: { 'Fn::Join': [string, unknown[]] };
          FunctionName: unknown;
        };
        return [SourceArn['Fn::Join'][1].at(-1), functionOf(nameIn(FunctionName))];
      })
      .filter(([route]) => route !== '/authorizers/*');
    const own = endpoints.flatMap((contract) =>
      methodsOf(contract).map((method) => [
        `/api/${method}${contract.path.replaceAll(/\{\w+\+?\}/g, '*')}`,
        contract.id,
      ]),
    );
    expect(allowed.map(String).toSorted()).toEqual(own.map(String).toSorted());
  });

  it('have no ANY method, and no greedy path under /1/, which would hide repositories named like a path', () => {
    const hiding = routes.filter(({ method, path }) => /any/i.test(method) || /^\/1\/.*\+\}/.test(path));
    expect(hiding).toEqual([]);
  });

  it('pass each body on byte for byte', () => {
    expect(body['x-amazon-apigateway-binary-media-types']).toEqual(['*/*']);
    expect(new Set(routes.map(({ operation }) => operation['x-amazon-apigateway-integration'].type))).toEqual(
      new Set(['aws_proxy']),
    );
  });

  it('ask the authorizer once in five minutes for a credential', () => {
    expect(Object.values(body.components.securitySchemes)).toEqual([
      expect.objectContaining({
        'x-amazon-apigateway-authorizer': expect.objectContaining({
          type: 'request',
          identitySource: 'method.request.header.Authorization',
          authorizerResultTtlInSeconds: 300,
        }),
      }),
    ]);
  });
});

describe('the refusals of API Gateway, which are the same under every path', () => {
  const functionsFolder = join(__dirname, '../../functions');
  const shaped = readdirSync(functionsFolder).filter((folder) =>
    existsSync(join(functionsFolder, folder, 'error-shape.ts')),
  );

  // Their `errors` are sentences under every path, as clients of the management API read them.
  const withoutErrors = (problem: object): object => ({ ...problem, errors: undefined });

  it.each(shaped)('have the error shape of %s, its form of errors aside', async (folder) => {
    const { shapeProblem } = (await import(join(functionsFolder, folder, 'error-shape.ts'))) as {
      shapeProblem: (problem: object) => object;
    };
    const bodies = Object.values(body['x-amazon-apigateway-gateway-responses']).flatMap(({ responseTemplates }) =>
      Object.values(responseTemplates).map((text) => JSON.parse(text) as object),
    );
    expect(bodies.map(withoutErrors)).toEqual(bodies.map((each) => withoutErrors(shapeProblem(each))));
    expect(bodies).not.toHaveLength(0);
  });
});
