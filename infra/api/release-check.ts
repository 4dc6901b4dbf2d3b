import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { environment } from '../../shared/config.ts';
import { type StockroomTable, tableStatement } from '../table.ts';
import { type FunctionDefaults, StockroomFunction } from './function.ts';

export interface ReleaseCheckProps {
  readonly table: StockroomTable;
  readonly defaults: FunctionDefaults;
  readonly authorizer: LambdaFunction;
  /** The deployment group of the authorizer, by name: it asks for the check, so it cannot be a reference. */
  readonly group: { readonly applicationName: string; readonly deploymentGroupName: string };
}

/** The function that signs in at a new version of the authorizer before it gets traffic, and the secret of its user. */
export class ReleaseCheck extends Construct {
  readonly lambda: IFunction;

  constructor(scope: Construct, id: string, { authorizer, table, defaults, group }: ReleaseCheckProps) {
    super(scope, id);
    const groupName = `${group.applicationName}/${group.deploymentGroupName}`;
    const secret = new Secret(this, 'Secret', {
      description: 'The password of the user release-check, and the random part of its token',
      // As long as the random part of a token, and of the same characters.
      generateSecretString: { passwordLength: 43, excludePunctuation: true },
      // The user in the table knows no other secret.
      removalPolicy: defaults.logs.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.lambda = new StockroomFunction(this, 'Function', {
      functionId: 'release-check',
      description: 'Signs in at a new authorizer before it gets traffic',
      environment: {
        [environment.tableName]: table.tableName,
        [environment.releaseCheckSecretArn]: secret.secretArn,
        [environment.authorizerVersion]: authorizer.currentVersion.functionArn,
      },
      statements: [
        tableStatement(table, ['BatchGetItem', 'PutItem']),
        new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
        // The version to check is another one in each release, and a right to it alone would come too late.
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [`${authorizer.functionArn}:*`] }),
        new PolicyStatement({
          actions: ['codedeploy:PutLifecycleEventHookExecutionStatus'],
          resources: [`arn:${Aws.PARTITION}:codedeploy:${Aws.REGION}:${Aws.ACCOUNT_ID}:deploymentgroup:${groupName}`],
        }),
      ],
      defaults,
      overrides: { timeout: Duration.seconds(60) },
    }).lambda;
  }
}
