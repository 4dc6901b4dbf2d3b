import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { GatewayResponse } from '../gateway-responses.ts';
import { type Resource, readAssets, StackTemplate } from './template.ts';

/** A Lambda of the stack: everything needed to run it. */
export interface FunctionDefinition {
  readonly id: string;
  readonly arn: string;
  readonly directory: string;
  readonly handler: string;
  readonly memoryMegabytes: number;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  /** What its role allows. */
  readonly statements: readonly PolicyStatement[];
}

/** A statement of an IAM policy as CDK writes it. */
export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface TableDefinition {
  readonly input: CreateTableCommandInput & { readonly TableName: string };
  readonly timeToLive: string;
}

/** The part of an API Gateway OpenAPI document that the local gateway lives by. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, SecurityScheme>> };
  readonly 'x-amazon-apigateway-gateway-responses': Readonly<Record<string, GatewayResponse>>;
}

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-amazon-apigateway-integration': { readonly uri: string };
}

interface SecurityScheme {
  readonly 'x-amazon-apigateway-authorizer': {
    readonly identitySource: string;
    readonly authorizerUri: string;
    readonly authorizerResultTtlInSeconds: number;
  };
}

export interface Assembly {
  readonly functions: readonly FunctionDefinition[];
  readonly table: TableDefinition;
  readonly api: ApiDocument;
  readonly stage: string;
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<
      string,
      { readonly type: string; readonly properties?: { readonly templateFile?: string; readonly file?: string } }
    >
  >;
}

/** Reads what `cdk synth` wrote: the same templates and bundles that `cdk deploy` uploads. */
export const readAssembly = (directory: string): Assembly => {
  const { artifacts } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  const ofType = (type: string) => {
    const found = Object.entries(artifacts).find(([, artifact]) => artifact.type === type);
    if (!found) throw new Error(`The cloud assembly in ${directory} has no ${type}.`);
    return { name: found[0], ...found[1].properties };
  };
  const { name, templateFile = '' } = ofType('aws:cloudformation:stack');
  const assets = readAssets(directory, ofType('cdk:asset-manifest').file ?? '');
  const stack = new StackTemplate(name, join(directory, templateFile), assets);
  const roles = stack.resources('AWS::IAM::Role');
  return {
    functions: stack
      .resources('AWS::Lambda::Function')
      .filter(({ metadata }) => metadata['stockroom:functionId'])
      .map((resource) => functionDefinition(resource, assets, roles)),
    table: tableDefinition(only(stack, 'AWS::DynamoDB::Table')),
    api: only(stack, 'AWS::ApiGateway::RestApi').properties.Body as ApiDocument,
    stage: String(only(stack, 'AWS::ApiGateway::Stage').properties.StageName),
  };
};

const only = (stack: StackTemplate, type: string): Resource => {
  const [resource, ...others] = stack.resources(type);
  if (!resource || others.length > 0) throw new Error(`The stack must have exactly one ${type}.`);
  return resource;
};

const functionDefinition = (
  { arn, metadata, properties }: Resource,
  assets: ReadonlyMap<string, string>,
  roles: readonly Resource[],
): FunctionDefinition => {
  const { Code, Environment, Handler, MemorySize, Role, Timeout } = properties as {
    Code: { S3Key: string };
    Environment: { Variables: Record<string, string> };
    Handler: string;
    MemorySize: number;
    Role: string;
    Timeout: number;
  };
  const directory = assets.get(basename(Code.S3Key, '.zip'));
  if (!directory) throw new Error(`The assembly has no bundle for ${arn}.`);
  return {
    id: String(metadata['stockroom:functionId']),
    arn,
    directory,
    handler: Handler,
    memoryMegabytes: MemorySize,
    timeoutSeconds: Timeout,
    environment: Environment.Variables,
    statements: roles.filter((role) => role.arn === Role).flatMap(statementsOf),
  };
};

const statementsOf = ({ properties }: Resource): readonly PolicyStatement[] =>
  (properties.Policies as { PolicyDocument: { Statement: PolicyStatement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );

const tableDefinition = ({ arn, properties }: Resource): TableDefinition => {
  const { AttributeDefinitions, BillingMode, KeySchema, GlobalSecondaryIndexes, TimeToLiveSpecification } =
    properties as unknown as CreateTableCommandInput & { TimeToLiveSpecification: { AttributeName: string } };
  return {
    input: {
      TableName: basename(arn),
      AttributeDefinitions,
      BillingMode,
      KeySchema,
      ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }),
    },
    timeToLive: TimeToLiveSpecification.AttributeName,
  };
};
