import { endpoints } from '../../functions/endpoints.ts';
import type { Pin } from './pin.ts';

const api = 'AWS::ApiGateway::RestApi';
const stage = 'AWS::ApiGateway::Stage';
const acl = 'AWS::WAFv2::WebACL';
const permission = 'AWS::Lambda::Permission';

export interface EdgeNumbers {
  readonly rate: number;
  readonly burst: number;
  readonly logDays: number;
  /** What becomes of the one account-wide setting when the stack goes. */
  readonly logRole: 'Retain' | 'Delete';
}

/** API Gateway's side. */
export const edgePins = ({ rate, burst, logDays, logRole }: EdgeNumbers): readonly Pin[] => [
  { promise: 'there is one API', type: api, count: 1 },
  { promise: 'the API is regional', type: api, path: 'Properties.EndpointConfiguration.Types', expected: ['REGIONAL'] },
  {
    promise: 'TLS is 1.3, or 1.2 with forward secrecy',
    type: api,
    path: 'Properties.SecurityPolicy',
    expected: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  },
  { promise: 'and nothing else', type: api, path: 'Properties.EndpointAccessMode', expected: 'STRICT' },
  { promise: 'there is one stage', type: stage, count: 1 },
  { promise: 'the API is traced by X-Ray', type: stage, path: 'Properties.TracingEnabled', expected: true },
  ...(
    [
      ['requests are throttled', 'ThrottlingRateLimit', rate],
      ['bursts are throttled', 'ThrottlingBurstLimit', burst],
      ['no header or body is logged', 'DataTraceEnabled', false],
      ['failures inside API Gateway are logged', 'LoggingLevel', 'ERROR'],
      ['metrics that cost by the method are off', 'MetricsEnabled', false],
      ['settings are for every path', 'ResourcePath', '/*'],
      ['settings are for every method', 'HttpMethod', '*'],
    ] as const
  ).map(([promise, name, expected]) => ({
    promise,
    type: stage,
    path: `Properties.MethodSettings.0.${name}`,
    expected,
  })),
  { promise: 'settings have no exception', type: stage, path: 'Properties.MethodSettings.1', expected: undefined },
  {
    promise: 'the access log is JSON, without the credential',
    type: stage,
    path: 'Properties.AccessLogSetting.Format',
    rule: (format) => {
      try {
        const fields = JSON.parse(String(format)) as Record<string, string>;
        return fields.requestId === '$context.requestId' && !/authorization\b|header/i.test(String(format));
      } catch {
        return false;
      }
    },
  },
  {
    promise: 'the access log goes to its log group',
    type: stage,
    path: 'Properties.AccessLogSetting.DestinationArn.Fn::Join.1.7.Ref',
    rule: (id) => /^ApiAccessLog[0-9A-F]{8}$/.test(String(id)),
  },
  {
    promise: 'log groups keep their lines as long as the stage says',
    type: 'AWS::Logs::LogGroup',
    count: endpoints.length + 5,
    path: 'Properties.RetentionInDays',
    expected: logDays,
  },
  { promise: 'log groups go with the stack', type: 'AWS::Logs::LogGroup', path: 'DeletionPolicy', expected: 'Delete' },
  {
    promise: 'API Gateway calls what is live, and so does nobody else',
    type: permission,
    of: ({ Properties }) => Properties?.Principal === 'apigateway.amazonaws.com',
    count: endpoints.length + 1,
    path: 'Properties.FunctionName.Fn::Join.1.1',
    expected: ':live',
  },
  { promise: 'the rest is called by the schedule', type: permission, count: endpoints.length + 2 },
  {
    promise: 'each may be called from one method of this API',
    type: permission,
    of: ({ Properties }) => Properties?.Principal === 'apigateway.amazonaws.com',
    path: 'Properties.SourceArn.Fn::Join.1',
    rule: (parts) => {
      const [id, route] = (parts as unknown[] | undefined)?.slice(7) ?? [];
      const isOneRoute = /^\/(?:authorizers\/\*|api\/(?:GET|POST|PATCH|DELETE)\/[a-z0-9/*.-]+)$/.test(String(route));
      return /ApiRestApi/.test(JSON.stringify(id)) && isOneRoute && (parts as unknown[]).length === 9;
    },
  },
  {
    promise: `the one account-wide setting: ${logRole} with the stack`,
    type: 'AWS::ApiGateway::Account',
    path: 'DeletionPolicy',
    expected: logRole,
  },
];

/** The web application firewall. */
export const firewallPins: readonly Pin[] = [
  { promise: 'there is one firewall', type: acl, count: 1 },
  { promise: 'the firewall is regional', type: acl, path: 'Properties.Scope', expected: 'REGIONAL' },
  {
    promise: 'it lets through what no rule stops',
    type: acl,
    path: 'Properties.DefaultAction',
    expected: { Allow: {} },
  },
  {
    promise: 'one address has so many requests in five minutes',
    type: acl,
    path: 'Properties.Rules.0.Statement.RateBasedStatement',
    expected: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 10_000 },
  },
  {
    promise: 'more of them are a 429 that says when to come back',
    type: acl,
    path: 'Properties.Rules.0.Action.Block.CustomResponse',
    expected: {
      CustomResponseBodyKey: 'rateLimited',
      ResponseCode: 429,
      ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
    },
  },
  {
    promise: "in the API's own words",
    type: acl,
    path: 'Properties.CustomResponseBodies.rateLimited.Content',
    rule: (content) => {
      try {
        return (JSON.parse(String(content)) as { code: string }).code === 'RATE_LIMITED';
      } catch {
        return false;
      }
    },
  },
  {
    promise: "AWS's common rules hold",
    type: acl,
    path: 'Properties.Rules.1.Statement.ManagedRuleGroupStatement.Name',
    expected: 'AWSManagedRulesCommonRuleSet',
  },
  {
    promise: 'and stop what they match',
    type: acl,
    path: 'Properties.Rules.1.OverrideAction',
    expected: { None: {} },
  },
  {
    promise: 'but for bodies, which the schemas judge, and tools without a name',
    type: acl,
    path: 'Properties.Rules.1.Statement.ManagedRuleGroupStatement.RuleActionOverrides',
    expected: [
      'SizeRestrictions_BODY',
      'EC2MetaDataSSRF_BODY',
      'GenericLFI_BODY',
      'GenericRFI_BODY',
      'CrossSiteScripting_BODY',
      'NoUserAgent_HEADER',
    ].map((Name) => ({ ActionToUse: { Count: {} }, Name })),
  },
  {
    promise: 'no sample shows a credential',
    type: acl,
    path: 'Properties.VisibilityConfig.SampledRequestsEnabled',
    expected: false,
  },
  {
    promise: 'the firewall stands before the stage',
    type: 'AWS::WAFv2::WebACLAssociation',
    count: 1,
    path: 'Properties.ResourceArn.Fn::Join.1.7.Ref',
    rule: (id) => /^ApiRestApiDeploymentStageapi[0-9A-F]{8}$/.test(String(id)),
  },
];
