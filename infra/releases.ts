import { Aws, Duration } from 'aws-cdk-lib';
import { Alarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { serviceFaults } from './faults.ts';

/** The alias that API Gateway calls. */
export const liveAlias = 'live';

export interface ReleasesProps {
  /** Whether a new version first gets a tenth of the calls, for five minutes. */
  readonly canary: boolean;
  /** The name of the stack, which is the namespace of its metrics. */
  readonly name: string;
}

/** How new versions of the functions go live: at once, or as canaries that one alarm rolls back. */
export class Releases extends Construct {
  /** Set only with canaries. */
  readonly rollbackAlarm: Alarm | undefined;
  private readonly deploy: (scope: Construct, alias: Alias) => void;

  constructor(scope: Construct, id: string, { canary, name }: ReleasesProps) {
    super(scope, id);
    if (!canary) {
      this.deploy = () => {};
      return;
    }
    // The functions answer 500 themselves, which Lambda does not count as an error. Upstreams that are down roll nothing back.
    const rollbackAlarm = new Alarm(this, 'RollbackAlarm', {
      alarmDescription: 'A release makes requests fail: CodeDeploy rolls it back.',
      metric: serviceFaults(name, Duration.minutes(1)),
      threshold: 5,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const application = new LambdaApplication(this, 'Application');
    const role = this.deployerRole();
    this.rollbackAlarm = rollbackAlarm;
    this.deploy = (where, alias) => {
      new LambdaDeploymentGroup(where, 'Deployment', {
        application,
        alias,
        role,
        alarms: [rollbackAlarm],
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
    };
  }

  /** Creates the live alias of a function. */
  aliasOf(lambda: LambdaFunction): Alias {
    const scope = lambda.node.scope as Construct;
    const alias = new Alias(scope, 'Live', { aliasName: liveAlias, version: lambda.currentVersion });
    this.deploy(scope, alias);
    return alias;
  }

  /** May move aliases of this stack's functions, and nothing else; AWS's own policy for this also allows S3 and SNS. */
  private deployerRole(): IRole {
    const moveAliases = new PolicyStatement({
      actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      resources: [`arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${Aws.STACK_NAME}-*`],
    });
    const watch = new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: { deploy: new PolicyDocument({ statements: [moveAliases, watch] }) },
    });
    return role.withoutPolicyUpdates();
  }
}
