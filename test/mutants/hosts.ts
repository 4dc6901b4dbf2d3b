import { bugsIn, type Mutant } from './mutant.ts';

const hosts = ['~infra/hosts'];

/** Bugs in the hosts of the door, and in CloudFront before it. */
export const hostMutants: readonly Mutant[] = [
  ...bugsIn('infra/edge/door.ts', hosts, {
    'the door deletes blobs': ["'DeleteObject staging/*'", "'DeleteObject blobs/*'", 'infra/door-rights', 'door/role'],
    'the door takes nothing back': ["  'AbortMultipartUpload staging/*',\n", '', 'door/role'],
    'the door may read what it receives': [
      "'PutObject blobs/*',",
      "'PutObject blobs/*', 'GetObject blobs/*',",
      'door/role',
    ],
    'the door cannot read its secret': ['[...statements, secret.readStatement()]', 'statements'],
    'the door tells the address of the API': ['`https://${settings.domain?.name}`', 'api.baseUrl'],
  }),
  ...bugsIn('infra/edge/door-key.ts', hosts, {
    'whoever verifies references may sign them': ["actions: ['kms:VerifyMac']", "actions: ['kms:*']"],
    'the key of references encrypts': ['KeyUsage.GENERATE_VERIFY_MAC', 'KeyUsage.ENCRYPT_DECRYPT'],
    'the key of references stays': ['RemovalPolicy.DESTROY', 'RemovalPolicy.RETAIN'],
  }),
  ...bugsIn('infra/edge/door-metrics.ts', hosts, {
    'cut bodies are counted as failures': ["'$.way', 'cut'", "'$.way', 'failed'"],
    'the door counts what nobody watches': ['metricNamespace: name', "metricNamespace: 'Door'"],
    'half a task is enough': ["statistic: 'Maximum'", "statistic: 'SampleCount'"],
  }),
  ...bugsIn('infra/operation/monitoring.ts', hosts, {
    'the first deployment calls the operator': ["if ('once' in limit) made.node.addDependency(limit.once);", ''],
  }),
  ...bugsIn('infra/operation/watches.ts', hosts, {
    'a failing door is no alarm': ['metric: failures,\n    above: 5', 'metric: failures,\n    above: 500'],
    'a door without a task is none': [
      'treatMissingData: TreatMissingData.BREACHING',
      'treatMissingData: TreatMissingData.IGNORE',
    ],
    'healthy tasks ring the alarm': [
      'ComparisonOperator.LESS_THAN_THRESHOLD',
      'ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD',
    ],
  }),
  ...bugsIn('infra/edge/edge-function.ts', 'infra/edge/edge-function', {
    'clients name themselves': ['{ value: event.viewer.ip }', "request.headers['x-forwarded-for']"],
    'a navigation opens the dialog for a password': [
      'if (isNavigation && isGuarded &&',
      'if (!isNavigation && isGuarded &&',
    ],
    'an encoded path opens the dialog for a password': ['decodedPath(request.uri)', 'request.uri'],
    'a second slash opens the dialog for a password': [".replace(/^\\\\/+/, '/')", ''],
    'a frame opens the dialog for a password': ['document|i?frame|embed|object', 'document'],
    'nobody reads the reference at the edge': ["filter(({ access }) => access !== 'public')", 'filter(() => true)'],
    'a browser with a credential is refused at the edge': [
      "isGuarded && !valueOf(request, 'authorization')",
      'isGuarded',
    ],
    'bodies of unknown length go to the API': ['length !== undefined && ', 'length === undefined || '],
    'the API gets what Lambda cannot take': ['gatewayBytesMax = 4_000_000', 'gatewayBytesMax = 6_000_000'],
    'clients may ask and refer at the edge': ['    delete request.headers[name];\n', ''],
    'the door gets no PATCH': ["['POST', 'PUT', 'PATCH']", "['POST', 'PUT']"],
  }),
  ...bugsIn('infra/edge/edge.ts', hosts, {
    'CloudFront keeps answers': ['CachePolicy.CACHING_DISABLED', 'CachePolicy.CACHING_OPTIMIZED'],
    'CloudFront keeps the errors of others': ['errorCachingMinTtl: 0', 'errorCachingMinTtl: 10'],
    'the runbook looks for another distribution': [
      'this.distributionId = distribution.ref',
      "this.distributionId = ''",
    ],
    'CloudFront keeps more than the script of the console': ["pathPattern: '/console/*'", "pathPattern: '/*'"],
    'credentials come over plain HTTP': ["viewerProtocolPolicy: 'https-only'", "viewerProtocolPolicy: 'allow-all'"],
    'origins get the host of the client': ['ALL_VIEWER_EXCEPT_HOST_HEADER', 'ALL_VIEWER'],
    'CloudFront does not prove itself to the door': [', ...door, originCustomHeaders }', ', ...door }'],
    'a new function is not live': ['autoPublish: true', 'autoPublish: false'],
    'uploads in pieces do not get through': ["'PUT', 'PATCH', 'POST'", "'PUT', 'POST'"],
    'one Region has a door': ['`${name}-origin-${Aws.REGION}`', '`${name}-origin`'],
  }),
  ...bugsIn('infra/edge/edge-origins.ts', hosts, {
    'origins may speak old versions of TLS': ["originSslProtocols: ['TLSv1.2']", "originSslProtocols: ['TLSv1']"],
    'CloudFront waits for half a minute': ['originReadTimeout: answerSeconds', 'originReadTimeout: 30'],
  }),
  ...bugsIn('infra/edge/edge-secret.ts', hosts, {
    'the secret can be guessed': ['passwordLength: 43', 'passwordLength: 8'],
    'CloudFront sends the last value': ['this.accepted.map(', 'this.accepted.toReversed().map('],
  }),
  ...bugsIn('infra/edge/edge-domain.ts', hosts, {
    'the host name has no IPv6': ["new AaaaRecord(this, 'Address6', record);", ''],
  }),
  ...bugsIn('infra/edge/fargate-host.ts', hosts, {
    'the container runs as root': ["      user: 'node',\n", ''],
    'the door may change its bundle': ['bundleFolder, readOnly: true', 'bundleFolder, readOnly: false'],
    'the bundle need not be there': ['ContainerDependencyCondition.SUCCESS', 'ContainerDependencyCondition.START'],
    'tasks cannot call AWS': ['assignPublicIp: true', 'assignPublicIp: false'],
    'a deployment that fails stays': ['circuitBreaker: { rollback: true }', 'circuitBreaker: { rollback: false }'],
    'a deployment begins with no task': ['minHealthyPercent: 100', 'minHealthyPercent: 0'],
    'the door reads every bundle': ['asset.bucket.arnForObjects(asset.s3ObjectKey)', "asset.bucket.arnForObjects('*')"],
    'a task takes more bodies than it has memory for': ['processorUnits / 32', 'processorUnits / 8'],
    'a task that ends cuts its uploads': ['stopTimeout: Duration.seconds(120)', 'stopTimeout: Duration.seconds(2)'],
    'there may be no task': ['minCapacity: 1', 'minCapacity: 0'],
    'the origin has another name than the certificate': [
      'domainName: name,',
      'domainName: this.balancer.loadBalancerDnsName,',
    ],
  }),
  ...bugsIn('infra/edge/fargate-network.ts', hosts, {
    'the balancer is public': ['internetFacing: false', 'internetFacing: true'],
    'the balancer is open on each port': ['Port.tcp(443)', 'Port.allTcp()'],
    'the balancer calls whom it wants': ['allowAllOutbound: false', 'allowAllOutbound: true'],
    'silent clients are cut after a minute': [
      'idleTimeout: Duration.seconds(300)',
      'idleTimeout: Duration.seconds(60)',
    ],
    'CloudFront speaks plain HTTP to the balancer': [
      'OriginProtocolPolicy.HTTPS_ONLY',
      'OriginProtocolPolicy.HTTP_ONLY',
    ],
    'CloudFront is told of a balancer that does not listen': ['    origin.node.addDependency(listener);\n', ''],
    'a task that refuses the balancer is ended': ["'200-499'", "'200'"],
    'a task that leaves is cut off': [
      'deregistrationDelay: Duration.seconds(300)',
      'deregistrationDelay: Duration.seconds(0)',
    ],
    'bodies go to the store over the internet': [
      '      gatewayEndpoints: { Store: { service: GatewayVpcEndpointAwsService.S3 } },\n',
      '',
    ],
    'strange headers reach the door': ['dropInvalidHeaderFields: true', 'dropInvalidHeaderFields: false'],
  }),
  ...bugsIn('infra/edge/fargate-start.js', 'infra/edge/fargate-start', {
    'credentials are read once': ['setInterval(renew,', 'setTimeout(renew,'],
    'the door starts without credentials': ['\nawait readCredentials();', '\nawait renew();'],
  }),
  ...bugsIn('infra/edge/web-function-host.ts', hosts, {
    'uploads end after half a minute': ['timeoutSeconds: 900', 'timeoutSeconds: 30'],
    'an environment takes more bodies than it has memory for': [
      'requestsPerEnvironment = 16',
      'requestsPerEnvironment = 128',
    ],
    'CloudFront would have to sign': ["authType: 'ApplicationManaged'", "authType: 'IamAuth'"],
    'a flood is paid for': ['maxEnvironments: settings.door.instancesMax', 'maxEnvironments: 1_000'],
    'the rate of the stage is passed over': ['allowedRate(settings.throttle.requestsPerSecond)', '10_000'],
    'the endpoint may have no rate at all': [
      'Math.max(100, perSecond - (perSecond % 100))',
      'perSecond - (perSecond % 100)',
    ],
    'a large rate is none that there is': ['perSecond - (perSecond % 1_000);', 'perSecond;'],
    'the revision is made before the function': ['    revision.addResourceDependency(web);\n', ''],
    'whoever copies the bundle may do all with it': ["'s3:PutObject', 's3:DeleteObjectVersion'", "'s3:*'"],
    'the door writes to every log': ['resources: [logGroupArn]', "resources: ['*']"],
  }),
];
