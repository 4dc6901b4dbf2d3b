import { DomainName, EndpointType } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { type Api, transportSecurity } from './api.ts';

export interface DomainProps {
  readonly api: Api;
  readonly domain: NonNullable<Settings['domain']>;
}

/** A host name of the operator; under it, the API has no base path. */
export class Domain extends Construct {
  /** The target of the host name's DNS record, for an operator who keeps the DNS zone elsewhere. */
  readonly target: string;

  constructor(scope: Construct, id: string, { api, domain: { name, certificateArn, hostedZone } }: DomainProps) {
    super(scope, id);
    const domainName = new DomainName(this, 'Name', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      mapping: api.restApi,
      ...transportSecurity,
    });
    this.target = domainName.domainNameAliasDomainName;
    if (!hostedZone) return;
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: hostedZone.id,
      zoneName: hostedZone.name,
    });
    const record = { zone, recordName: name, target: RecordTarget.fromAlias(new ApiGatewayDomain(domainName)) };
    new ARecord(this, 'Address', record);
    new AaaaRecord(this, 'Address6', record);
  }
}
