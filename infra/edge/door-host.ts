import type { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { StockroomLog } from '../api/log.ts';
import type { Settings } from '../settings.ts';

export interface DoorHostProps {
  /** The name of the stack. */
  readonly name: string;
  readonly settings: Settings;
  /** The folder of the door's bundle. */
  readonly bundle: string;
  /** What the door may do on every host. */
  readonly statements: readonly PolicyStatement[];
  readonly environment: Readonly<Record<string, string>>;
  readonly log: StockroomLog;
}

/** Where CloudFront finds the door, and how. */
export type DoorOrigin = Pick<CfnDistribution.OriginProperty, 'domainName' | 'vpcOriginConfig' | 'customOriginConfig'>;

/** How long CloudFront waits for the answer of the door, in seconds: the most that it can. */
export const doorAnswerSeconds = 120;
