import { NestedStack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { environment } from '../shared/config.ts';
import type { Contract, TableAction } from '../shared/http/contract.ts';
import { StockroomFunction } from './function.ts';
import type { UpstreamKey } from './upstream-key.ts';

export interface FunctionsProps {
  readonly endpoints: readonly Contract[];
  readonly table: Table;
  readonly upstreamKey: UpstreamKey;
}

/** An endpoint and the function behind it. */
export interface EndpointFunction {
  readonly endpoint: Contract;
  readonly lambda: IFunction;
}

/**
 * The authorizer and one function per endpoint. Each resource folder is a nested stack, because CloudFormation takes
 * 500 resources per stack and an endpoint brings several.
 */
export class Functions extends Construct {
  readonly authorizer: IFunction;
  readonly ofEndpoints: readonly EndpointFunction[];

  constructor(scope: Construct, id: string, { endpoints, table, upstreamKey }: FunctionsProps) {
    super(scope, id);
    this.authorizer = new StockroomFunction(this, 'Authorizer', {
      functionId: 'authorizer',
      description: 'Proves who calls',
      environment: { [environment.tableName]: table.tableName },
      statements: [tableStatement(table, ['BatchGetItem', 'UpdateItem'])],
    }).lambda;

    const folders = new Map<string, NestedStack>();
    this.ofEndpoints = endpoints.map((endpoint) => {
      const [folder = '', name = ''] = endpoint.id.split('/');
      const stack = folders.get(folder) ?? new NestedStack(this, pascalCase(folder));
      folders.set(folder, stack);
      const { lambda } = new StockroomFunction(stack, pascalCase(name), {
        functionId: endpoint.id,
        description: endpoint.summary,
        ...needsOf(endpoint, table, upstreamKey),
      });
      return { endpoint, lambda };
    });
  }
}

/** The environment and the rights of an endpoint, which belong together. */
const needsOf = ({ access, table: actions, encrypts }: Contract, table: Table, upstreamKey: UpstreamKey) => {
  // The pipeline of every endpoint that is not public reads user, token and membership.
  const tableActions: TableAction[] =
    access === 'public' ? [...actions] : [...new Set([...actions, 'BatchGetItem' as const])];
  return {
    environment: {
      ...(tableActions.length > 0 && { [environment.tableName]: table.tableName }),
      ...(encrypts && { [environment.upstreamKeyId]: upstreamKey.keyArn }),
    },
    statements: [
      ...(tableActions.length > 0 ? [tableStatement(table, tableActions)] : []),
      ...(encrypts ? [upstreamKey.encryptStatement()] : []),
    ],
  };
};

const tableStatement = (table: Table, actions: readonly TableAction[]): PolicyStatement =>
  new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] });

const pascalCase = (kebab: string): string =>
  kebab
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
