import { Aws, Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StockroomTable } from '../table.ts';
import { percentOfFaults } from './faults.ts';
import type { FunctionDefaults } from './function.ts';
import { moreRefusals, percentOfCrashes } from './new-version.ts';
import { ReleaseCheck } from './release-check.ts';

/** The alias that API Gateway calls. */
export const liveAlias = 'live';

export interface ReleasesProps {
  /** Whether new versions of the authorizer and of the hot functions first get a tenth of the calls, for five minutes. */
  readonly canary: boolean;
  /** The name of the stack, which is the namespace of its metrics. */
  readonly name: string;
  readonly table: StockroomTable;
  readonly defaults: FunctionDefaults;
}

interface Gradual {
  readonly application: LambdaApplication;
  readonly faults: Alarm;
}

/** What an alarm of a release watches, minute by minute. */
interface RollbackCause {
  readonly metric: IMetric;
  readonly above: number;
  readonly description: string;
}

/** How new versions of the functions go live: at once, or step by step where most of the traffic is. */
export class Releases extends Construct {
  /** The alarms that roll a release back. There are none where every version is live at once. */
  readonly alarms: Alarm[] = [];
  private readonly props: ReleasesProps;
  private readonly gradual: Gradual | undefined;

  constructor(scope: Construct, id: string, props: ReleasesProps) {
    super(scope, id);
    this.props = props;
    if (!props.canary) return;
    this.gradual = {
      application: new LambdaApplication(this, 'Application'),
      // The functions answer 500 themselves, which Lambda does not count as an error. Upstreams that are down roll nothing back.
      faults: this.rollbackAlarm('RollbackAlarm', {
        metric: percentOfFaults(props.name, Duration.minutes(1)),
        above: 1,
        description: 'A release makes requests fail: CodeDeploy rolls it back.',
      }),
    };
  }

  /** Creates the live alias of a function. */
  aliasOf(lambda: LambdaFunction, isHot: boolean): Alias {
    const alias = this.liveAliasOf(lambda);
    if (this.gradual && isHot) {
      const { application, faults } = this.gradual;
      this.deploy(alias, application, { alarms: [faults], role: this.sharedRole() });
    }
    return alias;
  }

  /** Creates the live alias of the front for reads: where it crashes, no function counts a fault, and no API Gateway is before it. */
  aliasOfFront(lambda: LambdaFunction): Alias {
    const alias = this.liveAliasOf(lambda);
    if (!this.gradual) return alias;
    const { application, faults } = this.gradual;
    const crashes = this.rollbackAlarm('FrontAlarm', {
      metric: percentOfCrashes(alias, Duration.minutes(1)),
      above: 1,
      description: 'A new front for reads crashes or runs out of time: CodeDeploy rolls it back.',
    });
    this.deploy(alias, application, { alarms: [faults, crashes], role: this.sharedRole() });
    return alias;
  }

  /** Creates the live alias of the authorizer: a new version must first accept a credential, and may not refuse more than others. */
  aliasOfAuthorizer(lambda: LambdaFunction): Alias {
    const alias = this.liveAliasOf(lambda);
    if (!this.gradual) return alias;
    const { application, faults } = this.gradual;
    const { name, table, defaults } = this.props;
    const refusals = this.rollbackAlarm('RefusalAlarm', {
      metric: moreRefusals(lambda, liveAlias, Duration.minutes(1)),
      above: 50,
      description: 'The new authorizer refuses credentials that the others accept: CodeDeploy rolls it back.',
    });
    const deploymentGroupName = `${name}-authorizer`;
    const group = { applicationName: application.applicationName, deploymentGroupName };
    const check = new ReleaseCheck(this, 'Check', { authorizer: lambda, table, defaults, group });
    const role = this.deployerRole('AuthorizerRole', check.lambda);
    this.deploy(alias, application, { alarms: [faults, refusals], role, preHook: check.lambda, deploymentGroupName });
    return alias;
  }

  private liveAliasOf(lambda: LambdaFunction): Alias {
    return new Alias(lambda.node.scope as Construct, 'Live', { aliasName: liveAlias, version: lambda.currentVersion });
  }

  private rollbackAlarm(id: string, { metric, above, description }: RollbackCause): Alarm {
    const alarm = new Alarm(this, id, {
      alarmDescription: description,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    this.alarms.push(alarm);
    return alarm;
  }

  private deploy(
    alias: Alias,
    application: LambdaApplication,
    settings: Pick<
      ConstructorParameters<typeof LambdaDeploymentGroup>[2],
      'alarms' | 'role' | 'preHook' | 'deploymentGroupName'
    >,
  ): void {
    new LambdaDeploymentGroup(alias.node.scope as Construct, 'Deployment', {
      application,
      alias,
      ...settings,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
  }

  private sharedRole(): IRole {
    const existing = this.node.tryFindChild('Role') as Role | undefined;
    return existing?.withoutPolicyUpdates() ?? this.deployerRole('Role');
  }

  /** May move aliases of this stack's functions and call the hook; AWS's own policy for this also allows S3 and SNS. */
  private deployerRole(id: string, hook?: IFunction): IRole {
    const moveAliases = new PolicyStatement({
      actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      resources: [`arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${Aws.STACK_NAME}-*`],
    });
    const watch = new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] });
    const callHook = hook && new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [hook.functionArn] });
    const statements = [moveAliases, watch, ...(callHook ? [callHook] : [])];
    const role = new Role(this, id, {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: { deploy: new PolicyDocument({ statements }) },
    });
    return role.withoutPolicyUpdates();
  }
}
