import { Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  type FunctionProps as LambdaProps,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { environment } from '../../shared/config.ts';
import { functionIdMetadata } from './function-metadata.ts';
import { type LogSettings, StockroomLog } from './log.ts';

/** What all functions of a stack share. */
export interface FunctionDefaults {
  /** Returns the folder of a function's bundle. */
  readonly bundleOf: (functionId: string) => string;
  readonly logs: LogSettings;
  readonly metricsNamespace: string;
  readonly readOnly: boolean;
  readonly remembersAccess: boolean;
  readonly recordRetentionDays: number;
}

export interface StockroomFunctionProps {
  /** The contract's id, or the name of the file in `functions/`. */
  readonly functionId: string;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Everything that the function may do, apart from writing its log and its traces. */
  readonly statements: readonly PolicyStatement[];
  readonly defaults: FunctionDefaults;
  /** What differs from the other functions. */
  readonly overrides?: Partial<LambdaProps>;
}

/** One Lambda function with its own log group, and with a role that allows exactly the given statements. */
export class StockroomFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logGroup: StockroomLog;

  constructor(scope: Construct, id: string, { functionId, defaults, overrides, ...props }: StockroomFunctionProps) {
    super(scope, id);
    const logGroup = new StockroomLog(this, 'Log', defaults.logs);
    this.logGroup = logGroup;
    const writeLog = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    // Permissions of X-Ray cannot be limited to resources.
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
      // The code itself gives up after 8 seconds. This ends what hangs nevertheless, before API Gateway's 29 seconds.
      timeout: Duration.seconds(14),
      tracing: Tracing.ACTIVE,
      environment: {
        [environment.metricsNamespace]: defaults.metricsNamespace,
        [environment.recordRetentionDays]: `${defaults.recordRetentionDays}`,
        ...(defaults.readOnly && { [environment.readOnly]: 'true' }),
        ...(defaults.remembersAccess && { [environment.remembersAccess]: 'true' }),
        ...props.environment,
      },
      // So no construct of the CDK can add permissions to the role.
      role: role.withoutPolicyUpdates(),
      logGroup,
      // As text, the platform would write three lines for each request that say nothing which ours does not.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      ...overrides,
    });
    (this.lambda.node.defaultChild as CfnFunction).addMetadata(functionIdMetadata, functionId);
  }
}
