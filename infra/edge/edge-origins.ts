import type { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';

/** How long CloudFront waits for the answer of API Gateway, which gives up after 29 seconds, and of the front for reads, which may ask it. */
export const apiAnswerSeconds = 60;

/** An origin that is asked over TLS 1.2, or 1.3 where it can. */
export const overTls = (answerSeconds: number): CfnDistribution.CustomOriginConfigProperty => ({
  originProtocolPolicy: 'https-only',
  originSslProtocols: ['TLSv1.2'],
  originReadTimeout: answerSeconds,
  originKeepaliveTimeout: 60,
});
