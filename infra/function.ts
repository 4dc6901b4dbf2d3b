import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type CfnFunction, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { buildDirectory } from './bundles.ts';

/** The resource metadata that names a function by its id, for the local runner and the tests. */
export const functionIdMetadata = 'stockroom:functionId';

export interface StockroomFunctionProps {
  /** The folder of its bundle below the build directory: the contract's id, or `authorizer`. */
  readonly functionId: string;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  /** All that it may do beside writing its log. */
  readonly statements: readonly PolicyStatement[];
}

/** One Lambda with its own log group and a role that allows exactly what it is told. */
export class StockroomFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: StockroomFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writeLog = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { function: new PolicyDocument({ statements: [writeLog, ...props.statements] }) },
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      code: Code.fromAsset(join(buildDirectory, props.functionId)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      // The code itself gives up after 8 seconds; this only ends what hangs beyond reason.
      timeout: Duration.seconds(10),
      environment: { NODE_OPTIONS: '--enable-source-maps', ...props.environment },
      // No construct of CDK may widen the role behind our back.
      role: role.withoutPolicyUpdates(),
      logGroup,
    });
    (this.lambda.node.defaultChild as CfnFunction).addMetadata(functionIdMetadata, props.functionId);
  }
}
