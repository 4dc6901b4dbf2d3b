import { Match } from 'aws-cdk-lib/assertions';
import { endpoints } from '../../functions/endpoints.ts';
import { openPaths } from '../../infra/edge/firewall.ts';
import type { Settings } from '../../infra/settings.ts';
import { about, exactly, named, type Pin } from './pin.ts';
import { api, arn } from './pins-edge.ts';

const rulesInOrder = ['addresses', 'passwords', 'sign-ins', 'open requests', 'credentials', 'common'] as const;

const ruleOf = (rule: (typeof rulesInOrder)[number], held: object) => ({
  Rules: rulesInOrder.map((each) => (each === rule ? held : Match.anyValue())),
});
const commonRules = (held: object) => ruleOf('common', held);

const countedAlone = [
  'SizeRestrictions_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'CrossSiteScripting_BODY',
  'NoUserAgent_HEADER',
  'SizeRestrictions_URIPATH',
  'EC2MetaDataSSRF_URIPATH',
  'GenericLFI_URIPATH',
  'GenericRFI_URIPATH',
  'CrossSiteScripting_URIPATH',
  'RestrictedExtensions_URIPATH',
  'RestrictedExtensions_QUERYARGUMENTS',
  'GenericLFI_QUERYARGUMENTS',
];

/** The rules of `test/infra/edge/firewall.test.ts` say which endpoints these paths are of. */
const open = openPaths(endpoints);

const counting5Minutes = (counted: object) => ({
  Statement: { RateBasedStatement: exactly({ EvaluationWindowSec: 300, ...counted }) },
});

/** A route is found with percent-encoded letters, too. */
const pathMatching = (RegexString: string) =>
  exactly({
    RegexMatchStatement: exactly({
      RegexString,
      FieldToMatch: { UriPath: {} },
      TextTransformations: [{ Priority: 0, Type: 'URL_DECODE' }],
    }),
  });

const authorizationMatching = (RegexString: string) => ({
  RegexMatchStatement: exactly({
    RegexString,
    FieldToMatch: { SingleHeader: { Name: 'authorization' } },
    TextTransformations: [{ Priority: 0, Type: 'NONE' }],
  }),
});

const refusal = {
  Action: {
    Block: {
      CustomResponse: exactly({
        CustomResponseBodyKey: 'rateLimited',
        ResponseCode: 429,
        ResponseHeaders: [
          { Name: 'Cache-Control', Value: 'no-store' },
          { Name: 'X-Content-Type-Options', Value: 'nosniff' },
          { Name: 'Strict-Transport-Security', Value: 'max-age=63072000; includeSubDomains' },
          { Name: 'Content-Security-Policy', Value: "default-src 'none'; sandbox; frame-ancestors 'none'" },
          { Name: 'Retry-After', Value: '60' },
        ],
      }),
    },
  },
};

const ruleGroup = (held: object) => ({ Statement: { ManagedRuleGroupStatement: held } });
const counting = (rules: readonly string[]) =>
  ruleGroup({
    RuleActionOverrides: rules.map((Name) => exactly({ ActionToUse: { Count: {} }, Name })),
    ExcludedRules: Match.absent(),
  });
const unsampled = { VisibilityConfig: { SampledRequestsEnabled: false } };

/** The web application firewall, where there is one. */
export const firewallPins = (limits: Settings['firewall']): readonly Pin[] => [
  ...about('AWS::WAFv2::WebACL', {
    'there is one firewall': 1,
    'the firewall is regional': { Scope: 'REGIONAL' },
    'it lets through what no rule stops': { DefaultAction: exactly({ Allow: {} }) },
    'one address has so many requests in five minutes': ruleOf(
      'addresses',
      counting5Minutes({ AggregateKeyType: 'IP', Limit: limits.requestsPerFiveMinutesPerAddress }),
    ),
    'fewer with Basic, unless that has a token': ruleOf(
      'passwords',
      counting5Minutes({
        AggregateKeyType: 'IP',
        Limit: limits.passwordsPerFiveMinutesPerAddress,
        ScopeDownStatement: exactly({
          AndStatement: {
            Statements: [
              authorizationMatching('^[Bb][Aa][Ss][Ii][Cc] '),
              { NotStatement: { Statement: authorizationMatching('^[Bb][Aa][Ss][Ii][Cc] dG9rZW46') } },
            ],
          },
        }),
      }),
    ),
    'fewer for tokens and logins': ruleOf(
      'sign-ins',
      counting5Minutes({
        AggregateKeyType: 'IP',
        Limit: limits.signInsPerFiveMinutesPerAddress,
        ScopeDownStatement: pathMatching(open.signIns),
      }),
    ),
    'fewer for what else is open': ruleOf(
      'open requests',
      counting5Minutes({
        AggregateKeyType: 'IP',
        Limit: limits.openRequestsPerFiveMinutesPerAddress,
        ScopeDownStatement: pathMatching(open.others),
      }),
    ),
    'one credential has so many, whatever the addresses': ruleOf(
      'credentials',
      counting5Minutes({
        AggregateKeyType: 'CUSTOM_KEYS',
        CustomKeys: [{ Header: { Name: 'authorization', TextTransformations: [{ Priority: 0, Type: 'NONE' }] } }],
        Limit: limits.requestsPerFiveMinutesPerCredential,
      }),
    ),
    'more of them are a 429 that says when to come back': {
      Rules: [refusal, refusal, refusal, refusal, refusal, Match.anyValue()],
    },
    "in the API's own words": {
      CustomResponseBodies: {
        rateLimited: {
          ContentType: 'APPLICATION_JSON',
          Content: Match.serializedJson(
            Match.objectLike({ code: 'RATE_LIMITED', status: 429, error: Match.anyValue() }),
          ),
        },
      },
    },
    "AWS's common rules hold": commonRules(ruleGroup({ Name: 'AWSManagedRulesCommonRuleSet', VendorName: 'AWS' })),
    'for every request, whatever its path': commonRules(ruleGroup({ ScopeDownStatement: Match.absent() })),
    'they stop what they match': commonRules({ OverrideAction: exactly({ None: {} }) }),
    'but for what the schemas judge, names of packages in any path among it, and tools without a name': commonRules(
      counting(countedAlone),
    ),
    'no sample shows a credential': { ...unsampled, Rules: rulesInOrder.map(() => unsampled) },
  }),
  ...about('AWS::WAFv2::WebACLAssociation', {
    'the firewall stands before the stage': [
      1,
      {
        WebACLArn: { 'Fn::GetAtt': [named('FirewallAcl'), 'Arn'] },
        ResourceArn: arn('apigateway', '::/restapis/', api, '/stages/', { Ref: named('ApiRestApiDeploymentStageapi') }),
      },
    ],
  }),
];
