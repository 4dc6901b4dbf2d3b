import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { endpoints } from '../functions/endpoints.ts';
import { Api } from './api.ts';
import { Functions } from './functions.ts';
import { StockroomTable } from './table.ts';
import { UpstreamKey } from './upstream-key.ts';

/** Everything that `cdk deploy` creates. */
export class StockroomStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'Stockroom: the control plane of a package repository manager' });

    const table = new StockroomTable(this, 'Table');
    const upstreamKey = new UpstreamKey(this, 'UpstreamKey');
    const functions = new Functions(this, 'Functions', { endpoints, table, upstreamKey });
    const api = new Api(this, 'Api', { functions });

    new CfnOutput(this, 'BaseUrl', { value: api.baseUrl, description: 'What the path of every call is appended to' });
  }
}
