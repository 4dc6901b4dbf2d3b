import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SecurityPolicy,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { answersOf, isOpen, methodsOf } from '../../shared/http/contract.ts';
import { hasEdge, type Settings } from '../settings.ts';
import { apiDocument } from './api-document.ts';
import type { Functions } from './functions.ts';
import { StockroomLog } from './log.ts';
import { liveAlias } from './releases.ts';
import { sampleTraces } from './traces.ts';

/** The name of the stage, with which the paths of the API begin where it has no domain of its own. */
export const stageName = 'api';

/** TLS 1.3, or TLS 1.2 with forward secrecy; the mode STRICT refuses every other connection. */
export const transportSecurity = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

/**
 * For each route that needs no credential, and for all its callers together: the last resort. The firewall stops one address long before,
 * so pipelines, logins and monitors have room, and what answers with a large file has less.
 */
const openRouteThrottles = {
  small: { throttlingRateLimit: 200, throttlingBurstLimit: 400 },
  file: { throttlingRateLimit: 20, throttlingBurstLimit: 40 },
};

/** API Gateway takes none of these settings from the stage where a method has settings of its own. */
const methodLogging = {
  loggingLevel: MethodLoggingLevel.ERROR,
  // It would write headers and bodies, and with them credentials.
  dataTraceEnabled: false,
  // Metrics per method cost as much as many requests; those of the whole API are free and always on.
  metricsEnabled: false,
};

/** The settings of the routes that need no credential. */
const openRoutes = ({ ofEndpoints }: Functions) =>
  Object.fromEntries(
    ofEndpoints
      .filter(({ endpoint }) => isOpen(endpoint))
      .flatMap(({ endpoint }) => {
        const isFile = answersOf(endpoint).some(({ kind }) => kind === 'file');
        const throttle = isFile ? openRouteThrottles.file : openRouteThrottles.small;
        return methodsOf(endpoint).map((method) => [`${endpoint.path}/${method}`, { ...throttle, ...methodLogging }]);
      }),
  );

/**
 * The fields of the access log. Headers are left out, because they carry the credential. So is the path, because that of
 * `npm logout` contains the token: the functions log theirs. So is the User-Agent: the format escapes nothing, and a `"` in it
 * would forge other fields. A client can choose the request ID, but only a UUID; the extended one is of API Gateway alone.
 * CloudWatch has the time of each line, and the line of the function says who called.
 * docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
 */
export const accessLogFields = {
  requestId: '$context.requestId',
  extendedRequestId: '$context.extendedRequestId',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  responseLength: '$context.responseLength',
  latency: '$context.responseLatency',
  errorType: '$context.error.responseType',
};

export interface ApiProps {
  readonly name: string;
  readonly functions: Functions;
  readonly settings: Settings;
}

/** The REST API: one method per endpoint. Each method calls one function, and nothing else may call that function. */
export class Api extends Construct {
  readonly restApi: SpecRestApi;
  readonly accessLog: LogGroup;
  /** The host name that AWS gives it. */
  readonly hostName: string;
  /** The URL of the API while it has no domain of its own. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.accessLog = new StockroomLog(this, 'AccessLog', props.settings);
    this.restApi = this.createRestApi(props);
    this.keepExecutionLog(props.settings);
    sampleTraces(this, props.functions, { name: props.name, stageName });
    this.allowCalls(props.functions);
    this.hostName = `${this.restApi.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
    this.baseUrl = `https://${this.hostName}/${stageName}`;
  }

  private createRestApi({ name, functions, settings }: ApiProps): SpecRestApi {
    const restApi = new SpecRestApi(this, 'RestApi', {
      restApiName: name,
      apiDefinition: ApiDefinition.fromInline(apiDocument(name, functions)),
      endpointTypes: [EndpointType.REGIONAL],
      // Behind CloudFront, that is the host name at which CloudFront finds the API.
      disableExecuteApiEndpoint: settings.domain !== null && !hasEdge(settings.uploads),
      // API Gateway writes logs only after the account and Region have a role for it. This is the only setting for the
      // whole account: the other stage and all other APIs write their logs with that role too, so it outlives the stack.
      cloudWatchRole: settings.createsAccountLogRole,
      ...(settings.createsAccountLogRole && { cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN }),
      deployOptions: {
        stageName,
        tracingEnabled: true,
        throttlingRateLimit: settings.throttle.requestsPerSecond,
        throttlingBurstLimit: settings.throttle.burst,
        ...methodLogging,
        methodOptions: openRoutes(functions),
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    Object.assign(restApi.node.defaultChild as CfnRestApi, transportSecurity);
    // This output would show a second, slightly different base URL.
    restApi.node.tryRemoveChild('Endpoint');
    return restApi;
  }

  /** Otherwise API Gateway creates this log group itself, keeps its lines for ever and leaves it behind. */
  private keepExecutionLog(settings: Settings): void {
    const name = `API-Gateway-Execution-Logs_${this.restApi.restApiId}/${stageName}`;
    const log = new StockroomLog(this, 'ExecutionLog', settings, name);
    this.restApi.deploymentStage.node.addDependency(log);
  }

  private allowCalls({ authorizer, ofEndpoints }: Functions): void {
    const allow = (name: string, lambda: IFunction, caller: string) => {
      const permission = new CfnPermission(this, name, {
        action: 'lambda:InvokeFunction',
        functionName: `${lambda.functionArn}:${liveAlias}`,
        principal: 'apigateway.amazonaws.com',
        sourceArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.restApi.restApiId}/${caller}`,
      });
      // The permission names the alias as text, so CloudFormation does not know that it must wait for the alias.
      if (lambda.node.scope) permission.node.addDependency(lambda.node.scope);
    };
    allow('Invoke-authorizer', authorizer, 'authorizers/*');
    for (const { endpoint, lambda } of ofEndpoints) {
      const name = `Invoke-${endpoint.id.replace('/', '-')}`;
      const path = endpoint.path.replaceAll(/\{[^}]+\}/g, '*');
      for (const method of methodsOf(endpoint))
        allow(method === endpoint.method ? name : `${name}-${method}`, lambda, `${stageName}/${method}${path}`);
    }
  }
}
