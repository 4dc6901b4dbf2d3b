import { Aws } from 'aws-cdk-lib';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { edgeSecretHeader, viewerHeader } from '../../shared/edge.ts';
import { errors } from '../../shared/errors.ts';
import { type Contract, isOpen } from '../../shared/http/contract.ts';
import { refusalBody, responseHeaders } from '../../shared/http/problem.ts';
import { tokenUsername } from '../../shared/usernames.ts';
import { type Api, stageName } from '../api/api.ts';
import type { Settings } from '../settings.ts';
import type { EdgeSecret } from './edge-secret.ts';

/**
 * Rules of AWS's common set that count requests and do not block them. Bodies are JSON up to 64 KiB; their passwords
 * and upstream URLs may contain what the body rules search for. Paths and queries have the names of packages, also where
 * packages are managed: names end in `.log` or `.config`, a version may contain two dots, a path is longer than a kilobyte,
 * and a search is for any of these. A schema checks each field; nothing renders or runs it, and no path leads to a file of
 * a disk. Build tools often send no User-Agent.
 */
const countedRules = [
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

/** The paths of endpoints, with the stage or under a domain, and with whatever is in their parameters. */
const pathsOf = (endpoints: readonly Contract[]): string => {
  const paths = endpoints
    .filter(({ path }) => path !== '/')
    .map(({ path }) =>
      path
        .slice(1)
        .replaceAll('.', '\\.')
        .replaceAll(/\{[^}]+\+\}/g, '.+')
        .replaceAll(/\{[^}]+\}/g, '[^/]+'),
    );
  // The root has no name after its slash.
  const orRoot = paths.length < endpoints.length ? '?' : '';
  return `^(/${stageName})?/(${[...new Set(paths)].join('|')})${orRoot}/*$`;
};

/** The paths that need no credential: where a caller gets one, and all others. */
export const openPaths = (endpoints: readonly Contract[]) => {
  const open = endpoints.filter(isOpen);
  return {
    signIns: pathsOf(open.filter(({ method }) => method !== 'GET')),
    others: pathsOf(open.filter(({ method }) => method === 'GET')),
  };
};

const basic = '^[Bb][Aa][Ss][Ii][Cc] ';

/**
 * The patterns of an Authorization header as it was sent: Basic, and Basic with a token. `token:` has six bytes, so its
 * base64 is the same whatever follows.
 */
export const basicPatterns = {
  any: basic,
  withToken: basic + Buffer.from(`${tokenUsername}:`).toString('base64'),
} as const;

export interface FirewallProps {
  readonly api: Api;
  readonly endpoints: readonly Contract[];
  readonly settings: Settings['firewall'];
  /** Where CloudFront is in front of the API. */
  readonly edgeSecret?: EdgeSecret | undefined;
}

/** A rule; its place in the list is its priority. */
type Rule = Omit<CfnWebACL.RuleProperty, 'priority'>;

/** The web application firewall in front of the API. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { api, endpoints, settings, edgeSecret }: FirewallProps) {
    super(scope, id);
    const perAddress = edgeSecret ? ofViewer : ofSender;
    const first = edgeSecret ? [throughEdge(edgeSecret)] : [];
    const open = openPaths(endpoints);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible('firewall'),
      customResponseBodies: {
        // The firewall does not know the request ID.
        rateLimited: { contentType: 'APPLICATION_JSON', content: JSON.stringify(refusalBody('RATE_LIMITED', '')) },
      },
      rules: [
        ...first,
        rateRule('rate-per-address', { ...perAddress, limit: settings.requestsPerFiveMinutesPerAddress }),
        rateRule('passwords-per-address', {
          ...perAddress,
          limit: settings.passwordsPerFiveMinutesPerAddress,
          scopeDownStatement: withPassword(),
        }),
        rateRule('sign-ins-per-address', {
          ...perAddress,
          limit: settings.signInsPerFiveMinutesPerAddress,
          scopeDownStatement: pathMatching(open.signIns),
        }),
        rateRule('open-requests-per-address', {
          ...perAddress,
          limit: settings.openRequestsPerFiveMinutesPerAddress,
          scopeDownStatement: pathMatching(open.others),
        }),
        rateRule('rate-per-credential', {
          aggregateKeyType: 'CUSTOM_KEYS',
          // Requests without the header are not counted.
          customKeys: [{ header: { name: 'authorization', textTransformations: asSent } }],
          limit: settings.requestsPerFiveMinutesPerCredential,
        }),
        commonRules(),
      ].map((rule, priority) => Object.assign(rule, { priority })),
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

const rateRule = (name: string, counted: CfnWebACL.RateBasedStatementProperty): Rule => ({
  name,
  statement: { rateBasedStatement: { ...counted, evaluationWindowSec: 300 } },
  action: {
    block: {
      // AWS takes every header here but Content-Type, which it makes of the body's: application/json.
      customResponse: {
        responseCode: errors.RATE_LIMITED.status,
        customResponseBodyKey: 'rateLimited',
        responseHeaders: Object.entries({ ...responseHeaders, 'Retry-After': '60' }).map(([header, value]) => ({
          name: header,
          value,
        })),
      },
    },
  },
  visibilityConfig: visible(name),
});

type Transformations = CfnWebACL.TextTransformationProperty[];

const asSent: Transformations = [{ priority: 0, type: 'NONE' }];

/** API Gateway finds a route also where letters of its path are percent-encoded. */
const decoded: Transformations = [{ priority: 0, type: 'URL_DECODE' }];

/** Each address that sends. */
const ofSender = { aggregateKeyType: 'IP' };

/** Each address that CloudFront names; only CloudFront gets as far as the rules that count. */
const ofViewer = {
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys: [{ header: { name: viewerHeader, textTransformations: asSent } }],
};

/** Refuses whoever is neither CloudFront nor the door, which sends on what CloudFront sent. */
const throughEdge = (secret: EdgeSecret): Rule => {
  const values = secret.references.map((searchString) => ({
    byteMatchStatement: {
      searchString,
      fieldToMatch: { singleHeader: { Name: edgeSecretHeader } },
      positionalConstraint: 'EXACTLY',
      textTransformations: asSent,
    },
  }));
  const [only, ...others] = values;
  const isFromEdge = others.length === 0 ? only : { orStatement: { statements: values } };
  return {
    name: 'through-edge',
    statement: { notStatement: { statement: isFromEdge ?? {} } },
    action: { block: {} },
    visibilityConfig: visible('through-edge'),
  };
};

const matching = (
  regexString: string,
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  textTransformations = asSent,
): CfnWebACL.StatementProperty => ({ regexMatchStatement: { regexString, fieldToMatch, textTransformations } });

const pathMatching = (regexString: string): CfnWebACL.StatementProperty =>
  matching(regexString, { uriPath: {} }, decoded);

/** Requests with a password. A token needs no limit of its own, because nobody guesses 256 bits. */
const withPassword = (): CfnWebACL.StatementProperty => {
  const header = { singleHeader: { Name: 'authorization' } };
  const withToken = matching(basicPatterns.withToken, header);
  return {
    andStatement: { statements: [matching(basicPatterns.any, header), { notStatement: { statement: withToken } }] },
  };
};

/** AWS's common rules. */
const commonRules = (): Rule => ({
  name: 'common',
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name: 'AWSManagedRulesCommonRuleSet',
      ruleActionOverrides: countedRules.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  overrideAction: { none: {} },
  visibilityConfig: visible('common'),
});
