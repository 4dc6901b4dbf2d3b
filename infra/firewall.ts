import { Aws } from 'aws-cdk-lib';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { errors } from '../shared/errors.ts';
import { problem } from '../shared/http/problem.ts';
import type { Api } from './api.ts';
import type { Settings } from './settings.ts';

/**
 * Rules of AWS's common set that count requests and do not block them. Bodies are JSON up to 64 KiB; their passwords
 * and upstream URLs may contain what the body rules search for. A schema checks each field; nothing renders or runs it.
 * Build tools often send no User-Agent.
 */
const countedRules = [
  'SizeRestrictions_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'CrossSiteScripting_BODY',
  'NoUserAgent_HEADER',
];

export interface FirewallProps {
  readonly api: Api;
  readonly settings: Settings['firewall'];
}

/** The web application firewall in front of the API. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { api, settings }: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible('firewall'),
      customResponseBodies: {
        // The firewall does not know the request ID.
        rateLimited: { contentType: 'APPLICATION_JSON', content: JSON.stringify(problem('RATE_LIMITED', '')) },
      },
      rules: [rateRule(settings.requestsPerFiveMinutesPerAddress), commonRules],
    });
    const { restApiId, deploymentStage } = api.restApi;
    new CfnWebACLAssociation(this, 'Association', {
      webAclArn: acl.attrArn,
      resourceArn: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${restApiId}/stages/${deploymentStage.stageName}`,
    });
  }
}

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples would show headers, and with them credentials.
  sampledRequestsEnabled: false,
});

const rateRule = (limit: number): CfnWebACL.RuleProperty => ({
  name: 'rate-per-address',
  priority: 0,
  statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit, evaluationWindowSec: 300 } },
  action: {
    block: {
      customResponse: {
        responseCode: errors.RATE_LIMITED.status,
        customResponseBodyKey: 'rateLimited',
        responseHeaders: [{ name: 'Retry-After', value: '60' }],
      },
    },
  },
  visibilityConfig: visible('rate-per-address'),
});

const commonRules: CfnWebACL.RuleProperty = {
  name: 'common',
  priority: 1,
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name: 'AWSManagedRulesCommonRuleSet',
      ruleActionOverrides: countedRules.map((name) => ({ name, actionToUse: { count: {} } })),
    },
  },
  overrideAction: { none: {} },
  visibilityConfig: visible('common'),
};
