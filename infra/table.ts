import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { TableAction } from '../shared/http/contract.ts';
import { tableSchema } from '../shared/table/schema.ts';
import type { Settings } from './settings.ts';

/** The one table, shaped as `shared/table/schema.ts` says, under a key of its own. */
export class StockroomTable extends Table {
  constructor(scope: Construct, id: string, { keepsData, table }: Settings) {
    const removalPolicy = keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    super(scope, id, {
      partitionKey: { name: tableSchema.partitionKey, type: AttributeType.STRING },
      sortKey: { name: tableSchema.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: tableSchema.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      maxReadRequestUnits: table.readUnitsPerSecondMax,
      maxWriteRequestUnits: table.writeUnitsPerSecondMax,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: new TableKey(scope, `${id}Key`, removalPolicy),
      deletionProtection: keepsData,
      removalPolicy,
    });
  }
}

/** The right to do some things with the items of the table. */
export const tableStatement = (table: Table, actions: readonly TableAction[]): PolicyStatement =>
  new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] });

/**
 * DynamoDB asks for the key in the name of who calls it. The key trusts DynamoDB with that, as AWS's own key for
 * DynamoDB does: the right to the table alone decides, and no role needs a right to the key.
 */
class TableKey extends Key {
  constructor(scope: Construct, id: string, removalPolicy: RemovalPolicy) {
    super(scope, id, {
      description: 'The table of Stockroom',
      enableKeyRotation: true,
      pendingWindow: Duration.days(7),
      removalPolicy,
    });
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
        resources: ['*'],
        conditions: {
          StringEquals: {
            'kms:CallerAccount': Aws.ACCOUNT_ID,
            'kms:ViaService': `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}`,
          },
        },
      }),
    );
  }
}
