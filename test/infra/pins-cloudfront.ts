import { Match } from 'aws-cdk-lib/assertions';
import { doorAnswerSeconds } from '../../infra/edge/door-host.ts';
import { edgeFunctionCode } from '../../infra/edge/edge-function.ts';
import { edgeCertificate, hostName } from './hosts.ts';
import { about, exactly, named, type Pin } from './pin.ts';

export const joined = (...parts: readonly unknown[]) => ({ 'Fn::Join': ['', parts] });
const region = { Ref: 'AWS::Region' };
export const get = (path: string, attribute: string) => ({ 'Fn::GetAtt': [named(path), attribute] });

/** A value of the secret as CloudFormation will find it. */
export const secretValue = (key: string) =>
  joined('{{resolve:secretsmanager:', { Ref: named('DoorEdgeSecret') }, `:SecretString:${key}::}}`);

const sentSecret = [exactly({ HeaderName: 'x-stockroom-edge', HeaderValue: secretValue('first') })];

const overTls = (seconds: number) =>
  exactly({
    OriginProtocolPolicy: 'https-only',
    OriginSSLProtocols: ['TLSv1.2'],
    OriginReadTimeout: seconds,
    OriginKeepaliveTimeout: 60,
  });

const distribution = (held: object) => ({ DistributionConfig: held });
const origins = (api: unknown, door: unknown) => distribution({ Origins: [api, door] });
const behaviour = (held: object) => distribution({ DefaultCacheBehavior: held });

/** CloudFront, with the origin at which the door is. */
const cloudFrontPins = (door: object): readonly Pin[] => [
  ...about('AWS::CloudFront::Distribution', {
    'CloudFront answers under the host name of the stage': [1, distribution({ Aliases: [hostName], Enabled: true })],
    'with the certificate for it, over TLS 1.2 or newer': distribution({
      ViewerCertificate: exactly({
        AcmCertificateArn: edgeCertificate,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      }),
    }),
    'over HTTP/2 and IPv6': distribution({ HttpVersion: 'http2', IPV6Enabled: true }),
    'and never over plain HTTP, because credentials come first': behaviour({ ViewerProtocolPolicy: 'https-only' }),
    'every method gets through': behaviour({
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
    }),
    'CloudFront keeps no answer (the managed policy CachingDisabled)': behaviour({
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
    }),
    'and no error either, which it keeps for ten seconds where nothing is said': distribution({
      CustomErrorResponses: [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((ErrorCode) =>
        exactly({ ErrorCode, ErrorCachingMinTTL: 0 }),
      ),
    }),
    'CloudFront passes on every header but Host (AllViewerExceptHostHeader)': behaviour({
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
    }),
    'CloudFront changes no answer': behaviour({ Compress: false, ResponseHeadersPolicyId: Match.absent() }),
    'the API is asked where nothing else is chosen': behaviour({ TargetOriginId: 'api' }),
    'CloudFront keeps the script of the console alone, as its answer says (CachingOptimized)': distribution({
      CacheBehaviors: [
        exactly({
          PathPattern: '/console/*',
          TargetOriginId: 'api',
          ViewerProtocolPolicy: 'https-only',
          AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
          CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
          OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
          Compress: false,
          FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN: get('DoorEdgeChooser', 'FunctionARN') }],
        }),
      ],
    }),
    'the path of `npm logout` has a token, so CloudFront logs no request': distribution({ Logging: Match.absent() }),
    'clients are served from Europe and North America': distribution({ PriceClass: 'PriceClass_100' }),
    'the API is found at its own host name, and answers in a minute': origins(
      exactly({
        Id: 'api',
        DomainName: joined({ Ref: named('ApiRestApi') }, '.execute-api.', region, '.', { Ref: 'AWS::URLSuffix' }),
        OriginPath: '/api',
        CustomOriginConfig: overTls(60),
        OriginCustomHeaders: sentSecret,
      }),
      Match.anyValue(),
    ),
    'the door is found, and CloudFront proves itself to it': origins(
      Match.anyValue(),
      exactly({ Id: 'door', OriginCustomHeaders: sentSecret, ...door }),
    ),
    'a function chooses who is asked, before anything else': behaviour({
      FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN: get('DoorEdgeChooser', 'FunctionARN') }],
    }),
  }),
  ...about('AWS::CloudFront::Function', {
    'the function is live, and of the runtime that can choose': [
      1,
      {
        AutoPublish: true,
        FunctionCode: edgeFunctionCode({ hasFront: false }),
        FunctionConfig: { Runtime: 'cloudfront-js-2.0' },
        Name: joined('Stockroom-prod-origin-', region),
      },
    ],
  }),
  ...about('AWS::Route53::RecordSet', {
    'the host name leads to CloudFront, by both kinds of addresses': [
      2,
      {
        Name: `${hostName}.`,
        HostedZoneId: 'Z0123456789',
        AliasTarget: { DNSName: get('DoorEdgeDistribution', 'DomainName') },
      },
    ],
  }),
  ...about('AWS::ApiGateway::DomainName', { 'the API has no host name beside that of CloudFront': 0 }),
  ...about('AWS::ApiGateway::RestApi', {
    'the API answers under its own, where CloudFront asks it': { DisableExecuteApiEndpoint: false },
  }),
  ...about(['AWS::SecretsManager::Secret', { Description: Match.stringLikeRegexp('^What CloudFront sends') }], {
    'Secrets Manager makes what CloudFront proves itself with, and no template has it': [
      1,
      {
        Properties: {
          SecretString: Match.absent(),
          GenerateSecretString: exactly({
            ExcludePunctuation: true,
            GenerateStringKey: 'first',
            PasswordLength: 43,
            SecretStringTemplate: '{}',
          }),
        },
        DeletionPolicy: 'Delete',
      },
    ],
  }),
  ...about(['AWS::KMS::Key', { KeySpec: 'HMAC_256' }], {
    'a key of KMS signs references, and goes with the stack': [
      1,
      { Properties: { KeyUsage: 'GENERATE_VERIFY_MAC', PendingWindowInDays: 7 }, DeletionPolicy: 'Delete' },
    ],
  }),
];

const first = (rule: object) => ({
  Rules: [rule, ...Array.from({ length: 6 }, () => Match.anyValue())],
});
const counted = (position: number, of: object) => ({
  Rules: Array.from({ length: 7 }, (_, at) => (at === position ? of : Match.anyValue())),
});
const ofViewer = {
  Priority: Match.anyValue(),
  Statement: {
    RateBasedStatement: {
      AggregateKeyType: 'CUSTOM_KEYS',
      CustomKeys: [{ Header: { Name: 'x-stockroom-viewer', TextTransformations: [{ Priority: 0, Type: 'NONE' }] } }],
    },
  },
};

/** The firewall refuses whoever is not CloudFront, and counts by the address that CloudFront names. */
const firewallPins: readonly Pin[] = about('AWS::WAFv2::WebACL', {
  'nobody gets past CloudFront to the API': [
    1,
    first({
      Priority: 0,
      Action: exactly({ Block: {} }),
      Statement: exactly({
        NotStatement: {
          Statement: {
            ByteMatchStatement: {
              SearchString: secretValue('first'),
              FieldToMatch: { SingleHeader: { Name: 'x-stockroom-edge' } },
              PositionalConstraint: 'EXACTLY',
              TextTransformations: [{ Priority: 0, Type: 'NONE' }],
            },
          },
        },
      }),
    }),
  ],
  'requests are counted by the address of the client, and not by that of CloudFront': counted(1, ofViewer),
  'and so are passwords': counted(2, ofViewer),
  'and sign-ins': counted(3, ofViewer),
  'and open requests': counted(4, ofViewer),
});

/** The origin of the door on each host, as CloudFront has it. */
const doorOrigins = {
  'web-function': {
    DomainName: get('DoorWebEndpoint', 'DomainName'),
    CustomOriginConfig: overTls(doorAnswerSeconds),
  },
  fargate: {
    DomainName: hostName,
    VpcOriginConfig: exactly({
      VpcOriginId: get('DoorFargateNetworkOrigin', 'Id'),
      OriginReadTimeout: doorAnswerSeconds,
      OriginKeepaliveTimeout: 60,
    }),
  },
} as const;

export const commonHostPins = (uploads: keyof typeof doorOrigins): readonly Pin[] => [
  ...cloudFrontPins(doorOrigins[uploads]),
  ...firewallPins,
];
