import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';

/** The share of the reads of packages that have a trace: there are a thousand of them for each other request. */
export const tracedReads = 0.005;

/** The share of the other requests: that of X-Ray's own rule. */
export const tracedRequests = 0.05;

/** Which requests have how often a trace. X-Ray takes the first rule that fits. */
interface Sampling {
  readonly priority: number;
  readonly httpMethod: string;
  /** With wildcards, because it begins with the name of the stage where the API has no domain. */
  readonly urlPath: string;
  readonly fixedRate: number;
}

const anyService = { serviceName: '*', serviceType: '*' };

/**
 * Says how often requests are traced. The trace of a request has its URL. So requests whose path contains a secret are never sampled,
 * whatever traces them. The other rules are about one stage alone, because an account may have other APIs.
 * docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-configuring-xray-sampling-rules.html
 */
export const sampleTraces = (
  scope: Construct,
  { ofEndpoints }: Functions,
  { name, stageName }: { readonly name: string; readonly stageName: string },
): void => {
  const sample = (id: string, ruleEnding: string, service: typeof anyService, sampling: Sampling): void => {
    // A name has at most 32 characters, and is unique in the account and Region.
    const ruleName = `${name.slice(0, 20)}-${ruleEnding}`;
    const samplingRule = {
      ruleName,
      ...service,
      ...sampling,
      reservoirSize: 0,
      host: '*',
      resourceArn: '*',
      version: 1,
    };
    new CfnSamplingRule(scope, id, { samplingRule });
  };
  const secret = ofEndpoints.map(({ endpoint }) => endpoint).filter(({ pathIsSecret }) => pathIsSecret);
  for (const [position, { method: httpMethod, path }] of secret.entries()) {
    const urlPath = `*${path.replaceAll(/\{[^}]+\}/g, '*')}`;
    const sampling = { priority: 1 + position, httpMethod, urlPath, fixedRate: 0 };
    sample(`Untraced${position}`, `untraced-${position}`, anyService, sampling);
  }
  const stage = { serviceName: `${name}/${stageName}`, serviceType: 'AWS::ApiGateway::Stage' };
  const reads = { httpMethod: 'GET', urlPath: '*', fixedRate: tracedReads };
  sample('Traces', 'traces', stage, { ...reads, priority: 100, urlPath: '*/1/*', fixedRate: tracedRequests });
  sample('TracesOfReads', 'reads', stage, { ...reads, priority: 101 });
  sample('TracesOfHeads', 'heads', stage, { ...reads, priority: 102, httpMethod: 'HEAD' });
};
