import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { apiDocument } from './api-document.ts';
import type { Functions } from './functions.ts';

const stageName = 'api';

/** What the access log tells of a request. Headers stay out: they carry the credential. */
const accessLogFields = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  userAgent: '$context.identity.userAgent',
  method: '$context.httpMethod',
  path: '$context.path',
  route: '$context.resourcePath',
  status: '$context.status',
  userId: '$context.authorizer.principalId',
  responseLength: '$context.responseLength',
  latency: '$context.responseLatency',
  integrationLatency: '$context.integrationLatency',
  authorizerStatus: '$context.authorizer.status',
  errorType: '$context.error.responseType',
};

export interface ApiProps {
  readonly functions: Functions;
}

/** The REST API: one method per endpoint, each with one function, which nothing but that method may call. */
export class Api extends Construct {
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { functions }: ApiProps) {
    super(scope, id);
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const api = new SpecRestApi(this, 'RestApi', {
      restApiName: 'stockroom',
      apiDefinition: ApiDefinition.fromInline(apiDocument(functions)),
      endpointTypes: [EndpointType.REGIONAL],
      // API Gateway writes no log before the account and Region name a role for it: the only account-wide setting.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName,
        metricsEnabled: true,
        throttlingRateLimit: 500,
        throttlingBurstLimit: 1000,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    const allow = (name: string, lambda: IFunction, caller: string) =>
      new CfnPermission(this, name, {
        action: 'lambda:InvokeFunction',
        functionName: lambda.functionArn,
        principal: 'apigateway.amazonaws.com',
        sourceArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${api.restApiId}/${caller}`,
      });
    allow('Invoke-authorizer', functions.authorizer, 'authorizers/*');
    for (const { endpoint, lambda } of functions.ofEndpoints) {
      const path = endpoint.path.replaceAll(/\{[^}]+\}/g, '*');
      allow(`Invoke-${endpoint.id.replace('/', '-')}`, lambda, `${stageName}/${endpoint.method}${path}`);
    }
    this.baseUrl = `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stageName}`;
  }
}
