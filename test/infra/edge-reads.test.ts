import { createPublicKey } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { Match } from 'aws-cdk-lib/assertions';
import { acknowledgements } from '../../infra/acknowledgements.ts';
import { frontId, functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { doorAcknowledgements } from '../../infra/edge/door-acknowledgements.ts';
import { edgeFunctionCode } from '../../infra/edge/edge-function.ts';
import { downloadFunctionCode } from '../../infra/edge/edge-reads.ts';
import type { Settings } from '../../infra/settings.ts';
import { allCases } from '../harness/sampling.ts';
import { requireNoCircle } from './circles.ts';
import { downloadKeys, hostName, hostSettings, someEndpoints } from './hosts.ts';
import { exactly, named } from './pin.ts';
import { get, secretValue } from './pins-cloudfront.ts';
import { settingsOf, synthesiseVariant, type TemplateFile, type TemplateResource } from './templates.ts';

const withReads = (
  uploads: 'web-function' | 'fargate',
  reads: Settings['reads'],
  keys = downloadKeys.slice(0, 1),
  isValidated = allCases,
) =>
  synthesiseVariant({
    stage: 'prod',
    endpoints: someEndpoints,
    change: { ...hostSettings('prod', uploads), reads, downloadKeys: keys },
    isValidated,
  });

const edge = withReads('fargate', 'edge', undefined, true);
const withTwoKeys = withReads('fargate', 'edge', downloadKeys);
const edges = [edge, withReads('web-function', 'edge')];
const plain = withReads('fargate', 'gateway');

const outerOf = ({ templates }: typeof edge): TemplateFile => templates[0]?.[1] as TemplateFile;
const ofType = (synthesis: typeof edge, type: string): TemplateResource[] =>
  synthesis.resources.filter(({ Type }) => Type === type);

const joined = (...parts: readonly unknown[]) => ({ 'Fn::Join': ['', parts] });
const anyKey = Match.stringLikeRegexp('^DownloadKeysKey');
const ref = (path: string) => ({ Ref: named(path) });
const distributionArn = joined(
  'arn:',
  { Ref: 'AWS::Partition' },
  ':cloudfront::',
  { Ref: 'AWS::AccountId' },
  ':distribution/',
  ref('DoorEdgeDistribution'),
);

const frontOf = (synthesis: typeof edge): TemplateResource => {
  const found = ofType(synthesis, 'AWS::Lambda::Function').find(
    ({ Metadata }) => Metadata?.[functionIdMetadata] === frontId,
  );
  if (!found) throw new Error('The stack has no front.');
  return found;
};

interface Statement {
  readonly Sid?: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

const statementsOf = (synthesis: typeof edge): readonly Statement[] => {
  const { Role } = (frontOf(synthesis).Properties ?? {}) as { Role?: { 'Fn::GetAtt': [string] } };
  const { Policies = [] } = (outerOf(synthesis).Resources[Role?.['Fn::GetAtt'][0] ?? '']?.Properties ?? {}) as {
    Policies?: { PolicyDocument: { Statement: Statement[] } }[];
  };
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};

describe('A stage whose reads are answered behind CloudFront', () => {
  it('has a function URL that takes signed calls alone', () => {
    for (const { template } of edges) {
      template.resourceCountIs('AWS::Lambda::Url', 1);
      template.hasResourceProperties('AWS::Lambda::Url', {
        AuthType: 'AWS_IAM',
        Qualifier: 'live',
        Cors: Match.absent(),
      });
      template.resourcePropertiesCountIs('AWS::Lambda::Permission', { Principal: '*' }, 0);
    }
  });

  it('lets this one distribution call the alias, by its URL alone', () => {
    for (const { template } of edges) {
      const calls = Object.values(
        template.findResources('AWS::Lambda::Permission', { Properties: { Principal: 'cloudfront.amazonaws.com' } }),
      );
      expect(calls.map(({ Properties: { Action, InvokedViaFunctionUrl } }) => [Action, InvokedViaFunctionUrl])).toEqual(
        [
          ['lambda:InvokeFunctionUrl', undefined],
          ['lambda:InvokeFunction', true],
        ],
      );
      for (const Action of ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'])
        template.hasResourceProperties('AWS::Lambda::Permission', {
          Action,
          Principal: 'cloudfront.amazonaws.com',
          FunctionName: { Ref: named('PackagesReadsLive') },
          SourceArn: distributionArn,
        });
    }
  });

  it('has CloudFront sign each call of the function and of the bucket, whatever the client sends', () => {
    for (const { template } of edges) {
      template.resourceCountIs('AWS::CloudFront::OriginAccessControl', 2);
      for (const OriginAccessControlOriginType of ['lambda', 's3'])
        template.hasResourceProperties('AWS::CloudFront::OriginAccessControl', {
          OriginAccessControlConfig: {
            OriginAccessControlOriginType,
            SigningBehavior: 'always',
            SigningProtocol: 'sigv4',
          },
        });
    }
  });

  it('has the front and the bucket as origins, and proves itself to the API through the front', () => {
    for (const { template } of edges)
      template.hasResourceProperties('AWS::CloudFront::Distribution', {
        DistributionConfig: {
          Origins: Match.arrayWith([
            exactly({
              Id: 'packages',
              DomainName: {
                'Fn::Select': [2, { 'Fn::Split': ['/', get('PackagesReadsLiveFunctionUrl', 'FunctionUrl')] }],
              },
              CustomOriginConfig: Match.objectLike({ OriginProtocolPolicy: 'https-only', OriginReadTimeout: 60 }),
              OriginAccessControlId: ref('DoorReadsAccesslambda'),
              OriginCustomHeaders: [{ HeaderName: 'x-stockroom-edge', HeaderValue: secretValue('first') }],
            }),
            exactly({
              Id: 'blobs',
              DomainName: get('Store', 'RegionalDomainName'),
              S3OriginConfig: { OriginAccessIdentity: '' },
              OriginAccessControlId: ref('DoorReadsAccesss3'),
            }),
          ]),
        },
      });
  });

  it('serves files behind a signature, by GET and HEAD, and keeps them by their path alone', () => {
    for (const { template } of edges)
      template.hasResourceProperties('AWS::CloudFront::Distribution', {
        DistributionConfig: {
          CacheBehaviors: [
            Match.objectLike({ PathPattern: '/console/*', TrustedKeyGroups: Match.absent() }),
            exactly({
              PathPattern: '/_blobs/*',
              TargetOriginId: 'blobs',
              ViewerProtocolPolicy: 'https-only',
              AllowedMethods: ['GET', 'HEAD'],
              // The managed policy CachingOptimizedForUncompressedObjects has no header, cookie or query in its key.
              CachePolicyId: 'b2884449-e4de-46a7-ac36-70bc7f1ddd6d',
              ResponseHeadersPolicyId: ref('DoorReadsHeaders'),
              Compress: false,
              TrustedKeyGroups: [ref('DownloadKeysGroup')],
              FunctionAssociations: [
                { EventType: 'viewer-request', FunctionARN: get('DoorReadsMapper', 'FunctionARN') },
              ],
            }),
          ],
          DefaultCacheBehavior: Match.objectLike({
            CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
            TrustedKeyGroups: Match.absent(),
          }),
        },
      });
  });

  it('lets no browser show, run or keep a file', () => {
    edge.template.hasResourceProperties('AWS::CloudFront::ResponseHeadersPolicy', {
      ResponseHeadersPolicyConfig: {
        SecurityHeadersConfig: {
          ContentSecurityPolicy: {
            ContentSecurityPolicy: "default-src 'none'; sandbox; frame-ancestors 'none'",
            Override: true,
          },
          ContentTypeOptions: { Override: true },
          ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: true },
          StrictTransportSecurity: { AccessControlMaxAgeSec: 63_072_000, IncludeSubdomains: true, Override: true },
        },
        CustomHeadersConfig: {
          Items: [
            { Header: 'Cache-Control', Value: 'no-store', Override: true },
            { Header: 'Content-Disposition', Value: 'attachment', Override: true },
          ],
        },
      },
    });
  });

  it('lets CloudFront read blobs, for this distribution, and nothing else of the bucket', () => {
    for (const synthesis of edges) {
      const policies = ofType(synthesis, 'AWS::S3::BucketPolicy').map(({ Properties }) => Properties) as {
        PolicyDocument: { Statement: (Statement & { Effect: string })[] };
      }[];
      const allowed = policies
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
        .filter(({ Effect, Resource }) => Effect === 'Allow' && !JSON.stringify(Resource).includes('DoorWebBundles'));
      expect(allowed).toEqual([
        {
          Sid: 'ReadBlobsAtEdge',
          Effect: 'Allow',
          Action: 's3:GetObject',
          Principal: { Service: 'cloudfront.amazonaws.com' },
          Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': [expect.stringMatching(/^Store/), 'Arn'] }, '/blobs/*']] },
          Condition: { StringEquals: { 'AWS:SourceArn': expect.anything() } },
        },
      ]);
      expect(JSON.stringify(allowed)).toContain('"Ref":"DoorEdgeDistribution');
    }
  });

  it('gives the front the secrets of its keys, and no right more', () => {
    expect(
      statementsOf(edge)
        .flatMap(({ Action }) => Action)
        .toSorted(),
    ).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:Query',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      's3:GetObject',
      'secretsmanager:GetSecretValue',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ]);
    const secretsOf = (synthesis: typeof edge) =>
      statementsOf(synthesis).flatMap(({ Action, Resource }) =>
        Action === 'secretsmanager:GetSecretValue' ? [Resource].flat() : [],
      );
    expect(secretsOf(edge)).toEqual([downloadKeys[0].secretArn]);
    expect(secretsOf(withTwoKeys)).toEqual(downloadKeys.map(({ secretArn }) => secretArn));
  });

  it('tells the front the header of the credential, its key, its address, and the API itself', () => {
    const [first] = downloadKeys;
    for (const synthesis of edges) {
      const { Environment } = frontOf(synthesis).Properties as { Environment: { Variables: Record<string, unknown> } };
      const { Variables } = Environment;
      expect(Variables).toMatchObject({
        CREDENTIAL_HEADER: 'x-stockroom-authorization',
        PUBLIC_URL: `https://${hostName}`,
        DOWNLOAD_KEY: { 'Fn::Join': ['', [{ Ref: expect.stringMatching(/^DownloadKeysKey/) }, ` ${first.secretArn}`]] },
      });
      expect(JSON.stringify(Variables.API_URL)).toContain('.execute-api.');
      expect(outerOf(synthesis).Outputs).not.toHaveProperty('PackagesUrl');
      expect(outerOf(synthesis).Outputs?.BaseUrl?.Value).toBe(`https://${hostName}`);
    }
  });

  it('tells nobody else of the header and the key', () => {
    for (const resource of edge.resources.filter((each) => each !== frontOf(edge)))
      expect(JSON.stringify(resource.Properties?.Environment ?? {})).not.toMatch(/CREDENTIAL_HEADER|DOWNLOAD_KEY/);
  });

  it('has CloudFront trust each key of the settings, under a name of its own', () => {
    const { template } = withTwoKeys;
    const keys = Object.values(template.findResources('AWS::CloudFront::PublicKey')) as {
      Properties: { PublicKeyConfig: { EncodedKey: string; Name: unknown } };
    }[];
    const ofPem = keys.map(({ Properties: { PublicKeyConfig } }) =>
      createPublicKey(PublicKeyConfig.EncodedKey).export({ type: 'spki', format: 'der' }).toString('base64'),
    );
    expect(ofPem.toSorted()).toEqual(downloadKeys.map(({ publicKey }) => publicKey).toSorted());
    for (const { Properties } of keys)
      expect(Properties.PublicKeyConfig.EncodedKey).toMatch(/-----END PUBLIC KEY-----\n$/);
    expect(new Set(keys.map(({ Properties }) => JSON.stringify(Properties.PublicKeyConfig.Name))).size).toBe(2);
    template.hasResourceProperties('AWS::CloudFront::KeyGroup', {
      KeyGroupConfig: { Items: [{ Ref: anyKey }, { Ref: anyKey }] },
    });
  });

  it('lets the first key of the settings sign', () => {
    for (const [keys, synthesis] of [
      [downloadKeys, withTwoKeys],
      [downloadKeys.toReversed(), withReads('fargate', 'edge', downloadKeys.toReversed())],
    ] as const) {
      const { Environment } = frontOf(synthesis).Properties as { Environment: { Variables: Record<string, unknown> } };
      const { 'Fn::Join': join } = Environment.Variables.DOWNLOAD_KEY as {
        'Fn::Join': [string, [{ Ref: string }, string]];
      };
      const [{ Ref: id }, secret] = join[1];
      const { PublicKeyConfig } = (outerOf(synthesis).Resources[id] as TemplateResource).Properties as {
        PublicKeyConfig: { EncodedKey: string };
      };
      const encoded = PublicKeyConfig.EncodedKey.replaceAll(/-----.*-----|\n/g, '');
      expect([encoded, secret]).toEqual([keys[0]?.publicKey, ` ${keys[0]?.secretArn}`]);
    }
  });

  it('runs at CloudFront the function that knows the front, and the one that finds objects', () => {
    const codes = ofType(edge, 'AWS::CloudFront::Function').map(({ Properties }) => Properties?.FunctionCode);
    expect(new Set(codes)).toEqual(new Set([downloadFunctionCode, edgeFunctionCode({ hasFront: true })]));
    for (const { Properties } of ofType(edge, 'AWS::CloudFront::Function')) expect(Properties?.AutoPublish).toBe(true);
  });

  it('has no circle of resources that wait for each other', () => {
    for (const { templates } of edges)
      for (const [, each] of templates) expect(() => requireNoCircle(each)).not.toThrow();
  });

  it('has no finding of cdk-nag that is not acknowledged with a reason', () => {
    const settings: Settings = { ...settingsOf('prod'), uploads: 'fargate', reads: 'edge' };
    const all = new Set([...acknowledgements(settings), ...doorAcknowledgements(settings)].map(({ id }) => id));
    expect(
      edge.acknowledged.filter((id) => !all.has(id) && !/\/(?:staging(?:\/rendered)?|blobs)\/\*\]$/.test(id)),
    ).toEqual([]);
  });
});

describe('The function that finds objects', () => {
  const uriOf = (uri: string): string => {
    const handler = runInNewContext(`${downloadFunctionCode}; handler`) as (event: object) => { readonly uri: string };
    return handler({ request: { method: 'GET', uri, headers: {} } }).uri;
  };

  it('takes the address of a blob to its key, and leaves every other path where no object is', () => {
    for (const name of ['', 'a', 'tool-1.0+b.zip'])
      expect(uriOf(`/_blobs/w-1/ab12.o-1/${name}`)).toBe('/blobs/w-1/sha256/ab12.o-1');
    for (const path of [
      '/_blobs/',
      '/_blobs/w',
      '/_blobs/w/',
      '/_blobs/w/a',
      '/_blobs/w/a/b/c',
      '/_blobs//a/b',
      '/_blobs/../a/b/c',
      '/x',
    ])
      expect([path, uriOf(path)]).toEqual([path, path]);
  });
});

describe('A stage with CloudFront whose reads are answered elsewhere', () => {
  it('has none of this', () => {
    for (const type of ['KeyGroup', 'PublicKey', 'OriginAccessControl', 'ResponseHeadersPolicy'])
      plain.template.resourceCountIs(`AWS::CloudFront::${type}`, 0);
    plain.template.resourceCountIs('AWS::Lambda::Url', 0);
    expect(JSON.stringify(plain.templates)).not.toMatch(/_blobs|ReadBlobsAtEdge|DOWNLOAD_KEY/);
  });

  it('has a front that everybody may call, which knows nothing of CloudFront, where that is at a URL', () => {
    const url = withReads('fargate', 'url');
    url.template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
    expect(JSON.stringify(frontOf(url).Properties?.Environment)).not.toMatch(
      /CREDENTIAL_HEADER|DOWNLOAD_KEY|PUBLIC_URL/,
    );
    url.template.resourceCountIs('AWS::CloudFront::OriginAccessControl', 0);
  });
});
