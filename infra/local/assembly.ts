import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { doorEnvironment, environment } from '../../shared/config.ts';
import { doorFunctionId, functionIdMetadata } from '../api/function-metadata.ts';
import type { GatewayResponse } from '../api/gateway-responses.ts';
import { type PipeDefinition, pipeDefinition } from './events.ts';
import { lifecycleOf } from './lifecycle.ts';
import type { Ages } from './object-store/files.ts';
import type { PolicyStatement } from './role-policy.ts';
import { type Schedule, schedulesOf } from './schedules.ts';
import { type Resource, readAssets, StackTemplate } from './template.ts';

/** A function of the stack, with everything that is needed to run it. */
export interface FunctionDefinition {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  readonly directory: string;
  readonly handler: string;
  readonly memoryMegabytes: number;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Its identity in AWS: a session of its role. */
  readonly principal: string;
  /** What its role allows, and what the bucket refuses to everybody. */
  readonly statements: readonly PolicyStatement[];
  readonly logGroup: string;
  /** Whether Lambda traces it. */
  readonly isTraced: boolean;
  /** For an event whose sender does not wait: the number of retries, then the queue of failed events. */
  readonly retries: number;
  readonly failureQueue: string | undefined;
}

/** The door, whose host is the local runner itself. */
export interface DoorDefinition {
  readonly environment: Readonly<Record<string, string>>;
  /** Its identity in AWS, and what that may do. */
  readonly principal: string;
  readonly statements: readonly PolicyStatement[];
}

export interface StoreDefinition {
  readonly bucketName: string;
  readonly lifecycle: Ages;
}

export interface TableDefinition {
  readonly input: CreateTableCommandInput & { readonly TableName: string };
  readonly timeToLive: string;
}

/** The part of an API Gateway OpenAPI document that the local gateway uses. */
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
  readonly store: StoreDefinition;
  /** Absent where no body is larger than API Gateway takes. */
  readonly door?: DoorDefinition | undefined;
  readonly api: ApiDocument;
  readonly stage: string;
  /** What the stage tells each function that the gateway calls. */
  readonly stageVariables?: Readonly<Record<string, string>>;
  /** The ARN of the function that has a URL of its own, if there is one. */
  readonly front?: string | undefined;
  readonly schedules: readonly Schedule[];
  readonly pipe: PipeDefinition;
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
  const refusals = stack.resources('AWS::S3::BucketPolicy').flatMap(refusalsOf);
  const eventSettings = stack.resources('AWS::Lambda::EventInvokeConfig');
  const bucket = only(stack, 'AWS::S3::Bucket');
  const store = { bucketName: bucket.arn.replace('arn:aws:s3:::', ''), lifecycle: lifecycleOf(bucket) };
  const { properties: stage } = only(stack, 'AWS::ApiGateway::Stage');
  const [front] = stack.resources('AWS::Lambda::Url');
  return {
    functions: stack
      .resources('AWS::Lambda::Function')
      .filter(({ metadata }) => metadata[functionIdMetadata])
      .map((resource) => functionDefinition(resource, assets, { roles, refusals, eventSettings })),
    table: tableDefinition(only(stack, 'AWS::DynamoDB::Table')),
    store,
    door: doorDefinition(stack, store, refusals),
    api: only(stack, 'AWS::ApiGateway::RestApi').properties.Body as ApiDocument,
    stage: String(stage.StageName),
    stageVariables: (stage.Variables ?? {}) as Readonly<Record<string, string>>,
    front: front && String(front.properties.TargetFunctionArn),
    schedules: schedulesOf(stack.resources('AWS::Events::Rule')),
    pipe: pipeDefinition(only(stack, 'AWS::Pipes::Pipe')),
  };
};

const only = (stack: StackTemplate, type: string): Resource => {
  const [resource, ...others] = stack.resources(type);
  if (!resource || others.length > 0) throw new Error(`The stack must have exactly one ${type}.`);
  return resource;
};

/** What decides about a function beside its own resource. */
interface Surroundings {
  readonly roles: readonly Resource[];
  readonly refusals: readonly PolicyStatement[];
  readonly eventSettings: readonly Resource[];
}

const functionDefinition = (
  { arn, metadata, properties }: Resource,
  assets: ReadonlyMap<string, string>,
  { roles, refusals, eventSettings }: Surroundings,
): FunctionDefinition => {
  const { Code, Environment, Handler, LoggingConfig, MemorySize, Role, Timeout, TracingConfig } = properties as {
    Code: { S3Key: string };
    Environment: { Variables: Record<string, string> };
    Handler: string;
    LoggingConfig: { LogGroup: string };
    MemorySize: number;
    Role: string;
    Timeout: number;
    TracingConfig?: { Mode: string };
  };
  const directory = assets.get(basename(Code.S3Key, '.zip'));
  if (!directory) throw new Error(`The assembly has no bundle for ${arn}.`);
  const name = arn.split(':').at(-1) ?? '';
  return {
    id: String(metadata[functionIdMetadata]),
    name,
    arn,
    directory,
    handler: Handler,
    memoryMegabytes: MemorySize,
    timeoutSeconds: Timeout,
    environment: Environment.Variables,
    principal: sessionOf(Role, name),
    statements: [...roles.filter((role) => role.arn === Role).flatMap(statementsOf), ...refusals],
    logGroup: LoggingConfig.LogGroup,
    isTraced: TracingConfig?.Mode === 'Active',
    ...eventSettingsOf(eventSettings.find((settings) => settings.properties.FunctionName === name)),
  };
};

/** By default, Lambda retries an event twice. */
const eventSettingsOf = (resource: Resource | undefined): Pick<FunctionDefinition, 'retries' | 'failureQueue'> => {
  const { MaximumRetryAttempts = 2, DestinationConfig } = (resource?.properties ?? {}) as {
    MaximumRetryAttempts?: number;
    DestinationConfig?: { OnFailure?: { Destination: string } };
  };
  return { retries: MaximumRetryAttempts, failureQueue: DestinationConfig?.OnFailure?.Destination };
};

const doorDefinition = (
  stack: StackTemplate,
  { bucketName }: StoreDefinition,
  refusals: readonly PolicyStatement[],
): DoorDefinition | undefined => {
  const role = stack
    .resources('AWS::IAM::Role')
    .find(({ metadata }) => metadata[functionIdMetadata] === doorFunctionId);
  const key = stack.resources('AWS::KMS::Key').find(({ properties }) => properties.KeySpec === 'HMAC_256');
  if (!role || !key) return undefined;
  return {
    environment: { [environment.storeBucket]: bucketName, [doorEnvironment.doorKeyId]: key.arn },
    principal: sessionOf(role.arn, 'door'),
    statements: [...statementsOf(role), ...refusals],
  };
};

const statementsOf = ({ properties }: Resource): readonly PolicyStatement[] =>
  (properties.Policies as { PolicyDocument: { Statement: PolicyStatement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );

/** The identity in which a role acts. */
const sessionOf = (roleArn: string, name: string): string =>
  `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${name}`;

/** What a bucket refuses to whoever asks, whatever their role allows. */
const refusalsOf = ({ properties }: Resource): readonly PolicyStatement[] => {
  const { Statement } = properties.PolicyDocument as { Statement: (PolicyStatement & { Principal: unknown })[] };
  return Statement.flatMap(({ Principal, ...statement }) => {
    const whom = JSON.stringify(Principal);
    if (statement.Effect === 'Deny' && whom === '{"AWS":"*"}') return [statement];
    // No function is CloudFront.
    if (statement.Effect === 'Allow' && whom === '{"Service":"cloudfront.amazonaws.com"}') return [];
    throw new Error('The local runner knows of a bucket policy what it refuses to everybody or allows CloudFront.');
  });
};

const tableDefinition = ({ arn, properties }: Resource): TableDefinition => {
  const { AttributeDefinitions, BillingMode, KeySchema, GlobalSecondaryIndexes } =
    properties as Partial<CreateTableCommandInput>;
  const { AttributeName } = properties.TimeToLiveSpecification as { AttributeName: string };
  return {
    input: {
      TableName: basename(arn),
      AttributeDefinitions,
      BillingMode,
      KeySchema,
      GlobalSecondaryIndexes: GlobalSecondaryIndexes?.map(({ IndexName, KeySchema: keys, Projection }) => ({
        IndexName,
        KeySchema: keys,
        Projection,
      })),
    },
    timeToLive: AttributeName,
  };
};
