import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Edge } from './edge.ts';

export interface EdgeDomainProps {
  readonly edge: Edge;
  readonly domain: NonNullable<Settings['domain']>;
}

/**
 * The host name of the operator, at CloudFront. Its records have the IDs of those that lead to API Gateway in a stage without an
 * edge: so a deployment that brings CloudFront changes them, and does not make them a second time.
 */
export class EdgeDomain extends Construct {
  /** The target of the host name's DNS record, for an operator who keeps the DNS zone elsewhere. */
  readonly target: string;

  constructor(scope: Construct, id: string, { edge, domain: { name: recordName, hostedZone } }: EdgeDomainProps) {
    super(scope, id);
    this.target = edge.hostName;
    if (!hostedZone) return;
    const { id: hostedZoneId, name: zoneName } = hostedZone;
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName });
    const alias = { dnsName: edge.hostName, hostedZoneId: CloudFrontTarget.getHostedZoneId(this) };
    const record = { zone, recordName, target: RecordTarget.fromAlias({ bind: () => alias }) };
    new ARecord(this, 'Address', record);
    new AaaaRecord(this, 'Address6', record);
  }
}
