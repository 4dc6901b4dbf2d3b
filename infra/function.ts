import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  type FunctionProps as LambdaProps,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { environment } from '../shared/config.ts';

/** The resource metadata that names a function by its id, for the local runner and the tests. */
export const functionIdMetadata = 'stockroom:functionId';

/** What all functions of a stack share. */
export interface FunctionDefaults {
  /** The folder of a function's bundle, by the function's id. */
  readonly bundleOf: (functionId: string) => string;
  readonly logRetentionDays: RetentionDays;
  readonly metricsNamespace: string;
}

export interface StockroomFunctionProps {
  /** The contract's id, or the name of the file in `functions/`. */
  readonly functionId: string;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  /** All that it may do beside writing its log and its traces. */
  readonly statements: readonly PolicyStatement[];
  readonly defaults: FunctionDefaults;
  readonly settings?: Partial<LambdaProps>;
}

/** One Lambda with its own log group and a role that allows exactly what it is told. */
export class StockroomFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, { functionId, defaults, settings, ...props }: StockroomFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: defaults.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writeLog = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    // X-Ray knows no resources: its rights are for all of it or for nothing.
    const writeTraces = new PolicyStatement({
      actions: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
      resources: ['*'],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        function: new PolicyDocument({ statements: [writeLog, writeTraces, ...props.statements] }),
      },
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      code: Code.fromAsset(defaults.bundleOf(functionId)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      // The code itself gives up after 8 seconds; this only ends what hangs beyond reason, before API Gateway's 29 seconds.
      timeout: Duration.seconds(14),
      tracing: Tracing.ACTIVE,
      environment: {
        [environment.metricsNamespace]: defaults.metricsNamespace,
        ...props.environment,
      },
      // No construct of CDK may widen the role behind our back.
      role: role.withoutPolicyUpdates(),
      logGroup,
      ...settings,
    });
    (this.lambda.node.defaultChild as CfnFunction).addMetadata(functionIdMetadata, functionId);
  }
}
