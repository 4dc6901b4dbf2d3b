import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { TableAction } from '../shared/http/function-rights.ts';
import { tableSchema } from '../shared/table/schema.ts';
import type { Settings } from './settings.ts';

/** A table: keys as in `shared/table/schema.ts`, encrypted with the key that all tables of the stack share. */
export class StockroomTable extends Table {
  /** The stream of every write. */
  readonly streamArn: string;

  constructor(scope: Construct, id: string, { keepsData, table }: Settings, encryptionKey: TableKey) {
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
      encryptionKey,
      deletionProtection: keepsData,
      removalPolicy,
      stream: StreamViewType.NEW_IMAGE,
    });
    const { name, partitionKey, sortKey } = tableSchema.recordsIndex;
    this.addGlobalSecondaryIndex({
      indexName: name,
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
      maxReadRequestUnits: table.readUnitsPerSecondMax,
      maxWriteRequestUnits: table.writeUnitsPerSecondMax,
    });
    this.streamArn = this.tableStreamArn ?? '';
  }
}

/** Allows these actions on the items of the table; not on the index. */
export const tableStatement = (table: Table, actions: readonly TableAction[]): PolicyStatement => {
  const onTable = actions.filter((action) => action !== 'Query records');
  return new PolicyStatement({ actions: onTable.map((action) => `dynamodb:${action}`), resources: [table.tableArn] });
};

/** Allows to query the index of all records. */
export const recordsStatement = (table: Table): PolicyStatement =>
  new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${tableSchema.recordsIndex.name}`],
  });

/**
 * DynamoDB uses the key on behalf of its caller. The policy of the key allows that, as the one of AWS's own key for
 * DynamoDB does: permission on the table alone decides, and no role needs permission on the key.
 */
class TableKey extends Key {
  constructor(scope: Construct, id: string, { keepsData }: Settings) {
    super(scope, id, {
      description: 'The table of Stockroom',
      enableKeyRotation: true,
      pendingWindow: Duration.days(7),
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
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

/**
 * The tables of the stack, of which the functions use the first. More than one exists only while a restored table takes the
 * place of another: a synthesis with the restored one as the second adds it and changes nothing else, as `cdk import` needs.
 */
export const tableInUse = (scope: Construct, settings: Settings): StockroomTable => {
  const key = new TableKey(scope, 'TableKey', settings);
  const [inUse] = settings.tables.map((id) => new StockroomTable(scope, id, settings, key));
  // The settings have at least one.
  return inUse as StockroomTable;
};
