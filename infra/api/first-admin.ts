import { CustomResource, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { environment } from '../../shared/config.ts';
import { type StockroomTable, tableStatement } from '../table.ts';
import { type FunctionDefaults, StockroomFunction } from './function.ts';

export interface FirstAdminProps {
  readonly table: StockroomTable;
  readonly defaults: FunctionDefaults;
  readonly keepsData: boolean;
}

/** The first system admin: a generated password, and a custom resource that creates the user once. */
export class FirstAdmin extends Construct {
  readonly secretName: string;

  constructor(scope: Construct, id: string, { table, defaults, keepsData }: FirstAdminProps) {
    super(scope, id);
    const secret = new Secret(this, 'Password', {
      description: 'The password of the system admin that the first deployment created',
      generateSecretString: { passwordLength: 32, excludePunctuation: true },
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.secretName = secret.secretName;
    const { lambda } = new StockroomFunction(this, 'Creator', {
      functionId: 'first-admin',
      description: 'Creates the first system admin when the stack is deployed',
      environment: {
        [environment.tableName]: table.tableName,
        [environment.firstAdminSecretArn]: secret.secretArn,
      },
      statements: [
        tableStatement(table, ['BatchGetItem', 'PutItem', 'UpdateItem']),
        new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
      ],
      defaults,
      overrides: { timeout: Duration.seconds(30) },
    });
    new CustomResource(this, 'User', {
      resourceType: 'Custom::FirstAdmin',
      serviceToken: lambda.functionArn,
      // Longer than the function can run. The default is an hour, for which a lost answer would hold up the deployment.
      serviceTimeout: Duration.minutes(5),
    });
  }
}
