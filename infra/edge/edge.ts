import { Aws } from 'aws-cdk-lib';
import { CachePolicy, CfnDistribution, CfnFunction, OriginRequestPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { Construct } from 'constructs';
import { edgeSecretHeader } from '../../shared/edge.ts';
import { type Api, stageName } from '../api/api.ts';
import type { Settings } from '../settings.ts';
import type { DoorOrigin } from './door-host.ts';
import { edgeFunctionCode, originIds } from './edge-function.ts';
import { apiAnswerSeconds, overTls } from './edge-origins.ts';
import type { EdgeReads } from './edge-reads.ts';
import type { EdgeSecret } from './edge-secret.ts';

export interface EdgeProps {
  readonly name: string;
  readonly settings: Settings;
  readonly api: Api;
  readonly secret: EdgeSecret;
  readonly door: DoorOrigin;
  /** Where CloudFront answers reads of packages. */
  readonly reads?: EdgeReads | undefined;
}

/** The errors that CloudFront keeps for ten seconds where nothing is said, for everybody who asks for the same path. */
const keptErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * CloudFront in front of API Gateway and the door, and of the front for reads if the settings say so: one host name, and nothing is cached
 * but the script of the console and files behind a signature. It writes no access log, because the path of `npm logout` has a token; the
 * functions and the door log each request.
 */
export class Edge extends Construct {
  readonly distributionId: string;
  /** The host name that AWS gives it. */
  readonly hostName: string;

  constructor(scope: Construct, id: string, { name, settings, api, secret, door, reads }: EdgeProps) {
    super(scope, id);
    const { domain, door: ofDoor } = settings;
    if (!domain || !ofDoor.certificateArn)
      throw new Error('The settings let no stage have an edge without its host name.');
    const chooser = new CfnFunction(this, 'Chooser', {
      // Unique in the account, of which another Region may have the same stack.
      name: `${name}-origin-${Aws.REGION}`,
      autoPublish: true,
      functionCode: edgeFunctionCode({ hasFront: reads !== undefined }),
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
          ...(reads?.originsWith(originCustomHeaders) ?? []),
        ],
        customErrorResponses: keptErrors.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 })),
        defaultCacheBehavior: { ...behavior, cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId },
        // The names of these files change with their bytes, and anybody may have them.
        cacheBehaviors: [
          { ...behavior, pathPattern: '/console/*', cachePolicyId: CachePolicy.CACHING_OPTIMIZED.cachePolicyId },
          ...(reads ? [reads.behavior] : []),
        ],
      },
    });
    this.distributionId = distribution.ref;
    reads?.allow(this.distributionId);
    this.hostName = distribution.attrDomainName;
  }
}
