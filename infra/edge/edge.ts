import { Aws } from 'aws-cdk-lib';
import { CachePolicy, CfnDistribution, CfnFunction, OriginRequestPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { Construct } from 'constructs';
import { edgeSecretHeader } from '../../shared/edge.ts';
import { type Api, stageName } from '../api/api.ts';
import type { Settings } from '../settings.ts';
import type { DoorOrigin } from './door-host.ts';
import { edgeFunctionCode, originIds } from './edge-function.ts';
import type { EdgeSecret } from './edge-secret.ts';

/** How long CloudFront waits for the answer of API Gateway, which gives up after 29 seconds. */
const apiAnswerSeconds = 60;

/** An origin that is asked over TLS 1.2, or 1.3 where it can. */
export const overTls = (answerSeconds: number): CfnDistribution.CustomOriginConfigProperty => ({
  originProtocolPolicy: 'https-only',
  originSslProtocols: ['TLSv1.2'],
  originReadTimeout: answerSeconds,
  originKeepaliveTimeout: 60,
});

export interface EdgeProps {
  readonly name: string;
  readonly settings: Settings;
  readonly api: Api;
  readonly secret: EdgeSecret;
  readonly door: DoorOrigin;
}

/**
 * CloudFront in front of API Gateway and the door: one host name, and nothing is cached but the script of the console. It writes no access log, because the path of
 * `npm logout` has a token; the functions and the door log each request.
 */
export class Edge extends Construct {
  /** The host name that AWS gives it. */
  readonly hostName: string;

  constructor(scope: Construct, id: string, { name, settings, api, secret, door }: EdgeProps) {
    super(scope, id);
    const { domain, door: ofDoor } = settings;
    if (!domain || !ofDoor.certificateArn)
      throw new Error('The settings let no stage have an edge without its host name.');
    const chooser = new CfnFunction(this, 'Chooser', {
      // Unique in the account, of which another Region may have the same stack.
      name: `${name}-origin-${Aws.REGION}`,
      autoPublish: true,
      functionCode: edgeFunctionCode,
      functionConfig: { comment: 'Large bodies go to the door', runtime: 'cloudfront-js-2.0' },
    });
    const [headerValue = ''] = secret.references;
    const originCustomHeaders = [{ headerName: edgeSecretHeader, headerValue }];
    const behavior = {
      targetOriginId: originIds.api,
      viewerProtocolPolicy: 'https-only',
      allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      // API Gateway and the web function know themselves by their own host names alone.
      originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
      // What answers has compressed what it wants compressed.
      compress: false,
      functionAssociations: [{ eventType: 'viewer-request', functionArn: chooser.attrFunctionArn }],
    };
    const distribution = new CfnDistribution(this, 'Distribution', {
      distributionConfig: {
        comment: name,
        enabled: true,
        aliases: [domain.name],
        viewerCertificate: {
          acmCertificateArn: ofDoor.certificateArn,
          minimumProtocolVersion: 'TLSv1.2_2021',
          sslSupportMethod: 'sni-only',
        },
        httpVersion: 'http2',
        ipv6Enabled: true,
        // The edge locations of North America and Europe, which cost least. Clients elsewhere use them, too.
        priceClass: 'PriceClass_100',
        origins: [
          {
            id: originIds.api,
            domainName: api.hostName,
            originPath: `/${stageName}`,
            customOriginConfig: overTls(apiAnswerSeconds),
            originCustomHeaders,
          },
          { id: originIds.door, ...door, originCustomHeaders },
        ],
        defaultCacheBehavior: { ...behavior, cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId },
        // The names of these files change with their bytes, and anybody may have them.
        cacheBehaviors: [
          { ...behavior, pathPattern: '/console/*', cachePolicyId: CachePolicy.CACHING_OPTIMIZED.cachePolicyId },
        ],
      },
    });
    this.hostName = distribution.attrDomainName;
  }
}
