import { Aws, Fn } from 'aws-cdk-lib';
import {
  CachePolicy,
  type CfnDistribution,
  CfnFunction,
  CfnOriginAccessControl,
  CfnResponseHeadersPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { downloadsPath } from '../../shared/edge.ts';
import { contentPolicy } from '../../shared/http/problem.ts';
import type { PackagesFront } from '../api/packages-front.ts';
import type { Store } from '../store.ts';
import type { DownloadKeys } from './download-keys.ts';
import { originIds } from './edge-function.ts';
import { apiAnswerSeconds, overTls } from './edge-origins.ts';

/**
 * What CloudFront runs for each request of a file whose signature it has verified. The path of an address becomes that of the object, so
 * the object is kept once, whatever its name.
 */
export const downloadFunctionCode = `function handler(event) {
  var request = event.request;
  request.uri = request.uri.replace(/^\\/_blobs\\/([^/]+)\\/([^/]+)\\/[^/]*$/, '/blobs/$1/sha256/$2');
  return request;
}
`;

const principal = 'cloudfront.amazonaws.com';

export interface EdgeReadsProps {
  readonly name: string;
  readonly front: Pick<PackagesFront, 'alias' | 'functionUrl'>;
  readonly keys: DownloadKeys;
  readonly store: Store;
}

/** What CloudFront needs to answer reads of packages: the front for reads and the bucket as origins, which nobody else can be. */
export class EdgeReads extends Construct {
  /** The path of files, and what is kept of it: the whole object, by its path alone, for whoever has a signature. */
  readonly behavior: CfnDistribution.CacheBehaviorProperty;
  private readonly props: EdgeReadsProps;

  constructor(scope: Construct, id: string, props: EdgeReadsProps) {
    super(scope, id);
    this.props = props;
    const { name, keys } = props;
    const mapper = new CfnFunction(this, 'Mapper', {
      name: `${name}-downloads-${Aws.REGION}`,
      autoPublish: true,
      functionCode: downloadFunctionCode,
      functionConfig: { comment: 'Addresses of files are those of objects', runtime: 'cloudfront-js-2.0' },
    });
    this.behavior = {
      pathPattern: `${downloadsPath}*`,
      targetOriginId: originIds.blobs,
      viewerProtocolPolicy: 'https-only',
      allowedMethods: ['GET', 'HEAD'],
      cachePolicyId: CachePolicy.CACHING_OPTIMIZED_FOR_UNCOMPRESSED_OBJECTS.cachePolicyId,
      responseHeadersPolicyId: this.headersPolicy(),
      compress: false,
      trustedKeyGroups: [keys.groupId],
      functionAssociations: [{ eventType: 'viewer-request', functionArn: mapper.attrFunctionArn }],
    };
  }

  /** The origins. CloudFront proves itself to the API by `originCustomHeaders`, which the front sends on. */
  originsWith(
    originCustomHeaders: CfnDistribution.OriginProperty['originCustomHeaders'],
  ): CfnDistribution.OriginProperty[] {
    const { front, store } = this.props;
    return [
      {
        id: originIds.packages,
        domainName: Fn.select(2, Fn.split('/', front.functionUrl.url)),
        customOriginConfig: overTls(apiAnswerSeconds),
        originAccessControlId: this.accessControl('lambda'),
        ...(originCustomHeaders && { originCustomHeaders }),
      },
      {
        id: originIds.blobs,
        domainName: store.bucketRegionalDomainName,
        s3OriginConfig: { originAccessIdentity: '' },
        originAccessControlId: this.accessControl('s3'),
      },
    ];
  }

  /** Lets a distribution, and nobody else, call the function at its URL and read blobs. */
  allow(distributionId: string): void {
    const { front, store } = this.props;
    const sourceArn = `arn:${Aws.PARTITION}:cloudfront::${Aws.ACCOUNT_ID}:distribution/${distributionId}`;
    const functionName = front.alias.functionArn;
    new CfnPermission(this, 'CallUrl', { action: 'lambda:InvokeFunctionUrl', functionName, principal, sourceArn });
    new CfnPermission(this, 'Call', {
      action: 'lambda:InvokeFunction',
      functionName,
      principal,
      sourceArn,
      invokedViaFunctionUrl: true,
    });
    store.addToResourcePolicy(
      new PolicyStatement({
        sid: 'ReadBlobsAtEdge',
        principals: [new ServicePrincipal(principal)],
        actions: ['s3:GetObject'],
        resources: [store.arnForObjects('blobs/*')],
        conditions: { StringEquals: { 'AWS:SourceArn': sourceArn } },
      }),
    );
  }

  /** CloudFront signs each request, whatever the client says in `Authorization`. */
  private accessControl(originType: 'lambda' | 's3'): string {
    const control = new CfnOriginAccessControl(this, `Access-${originType}`, {
      originAccessControlConfig: {
        name: `${this.props.name}-${originType}-${Aws.REGION}`,
        originAccessControlOriginType: originType,
        signingBehavior: 'always',
        signingProtocol: 'sigv4',
      },
    });
    return control.ref;
  }

  /** Files are at the host of the service, so a browser may show and run none of them, and keeps none. */
  private headersPolicy(): string {
    const policy = new CfnResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyConfig: {
        name: `${this.props.name}-downloads-${Aws.REGION}`,
        securityHeadersConfig: {
          contentSecurityPolicy: { contentSecurityPolicy: contentPolicy, override: true },
          contentTypeOptions: { override: true },
          referrerPolicy: { referrerPolicy: 'no-referrer', override: true },
          strictTransportSecurity: { accessControlMaxAgeSec: 63_072_000, includeSubdomains: true, override: true },
        },
        customHeadersConfig: {
          items: [
            { header: 'Cache-Control', value: 'no-store', override: true },
            { header: 'Content-Disposition', value: 'attachment', override: true },
          ],
        },
      },
    });
    return policy.ref;
  }
}
