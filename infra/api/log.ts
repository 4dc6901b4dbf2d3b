import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

export type LogSettings = Pick<Settings, 'keepsData' | 'logRetentionDays'>;

/** A log group: its lines end with their retention time, and it outlives the stack where the stage keeps its data. */
export class StockroomLog extends LogGroup {
  constructor(scope: Construct, id: string, { keepsData, logRetentionDays }: LogSettings, logGroupName?: string) {
    super(scope, id, {
      ...(logGroupName && { logGroupName }),
      retention: logRetentionDays,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
