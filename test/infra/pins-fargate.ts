import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { balancerCertificate } from './hosts.ts';
import { about, exactly, named, type Pin } from './pin.ts';
import { get, joined } from './pins-cloudfront.ts';
import { doorVariables } from './pins-web-function.ts';

const startScript = readFileSync(join(__dirname, '..', '..', 'infra', 'edge', 'fargate-start.js'), 'utf8');

const group = (name: string) => get(`DoorFargateNetwork${name}`, 'GroupId');
const subnet = (name: string) => ({ Ref: named(`DoorFargateNetworkVpc${name}Subnet`) });
const targets = { Ref: named('DoorFargateNetworkBalancerListenerDoorGroup') };
const region = { Ref: 'AWS::Region' };
const toLog = {
  LogConfiguration: {
    LogDriver: 'awslogs',
    Options: exactly({
      'awslogs-group': { Ref: named('DoorLog') },
      'awslogs-stream-prefix': 'door',
      'awslogs-region': region,
    }),
  },
};
const bundle = Match.stringLikeRegexp('^s3://cdk-[a-z0-9]+-assets-.*/[0-9a-f]{64}\\.js$');
const fetcher = {
  Name: 'fetch',
  Image: 'public.ecr.aws/aws-cli/aws-cli:2.31.0',
  Command: ['s3', 'cp', { 'Fn::Sub': bundle }, '/bundle/index.js', '--only-show-errors'],
  Essential: false,
  ReadonlyRootFilesystem: true,
  MountPoints: [exactly({ ContainerPath: '/bundle', ReadOnly: false, SourceVolume: 'bundle' })],
  ...toLog,
};
const door = {
  Name: 'door',
  Image: 'public.ecr.aws/docker/library/node:24.21.0-slim',
  Command: ['node', '--input-type=module', '--eval', startScript],
  Essential: true,
  ReadonlyRootFilesystem: true,
  User: 'node',
  StopTimeout: 120,
  DependsOn: [{ Condition: 'SUCCESS', ContainerName: 'fetch' }],
  MountPoints: [exactly({ ContainerPath: '/bundle', ReadOnly: true, SourceVolume: 'bundle' })],
  PortMappings: [{ ContainerPort: 8080, Protocol: 'tcp' }],
  Environment: [
    ...Object.entries(doorVariables).map(([Name, Value]) => ({ Name, Value })),
    { Name: 'AWS_REGION', Value: region },
    { Name: 'AWS_LAMBDA_HTTP_ENDPOINT', Value: '0.0.0.0:8080' },
    { Name: 'UPLOADS_MAX', Value: '8' },
  ],
  ...toLog,
};
const containers = (fetching: unknown, receiving: unknown) => ({ ContainerDefinitions: [fetching, receiving] });

const taskPins: readonly Pin[] = [
  ...about('AWS::ECS::TaskDefinition', {
    'a task has a quarter of an ARM processor, and the memory for eight bodies at once': [
      1,
      {
        Cpu: '256',
        Memory: '512',
        NetworkMode: 'awsvpc',
        RequiresCompatibilities: ['FARGATE'],
        RuntimePlatform: { CpuArchitecture: 'ARM64', OperatingSystemFamily: 'LINUX' },
      },
    ],
    'a task has the role of the door': { TaskRoleArn: get('DoorFargateRole', 'Arn') },
    'a public image fetches the bundle': containers(fetcher, Match.anyValue()),
    'and one of Node runs it, without the rights of root, when it is there': containers(Match.anyValue(), door),
  }),
  ...about('AWS::ECS::Service', {
    'a new task takes over before the old one goes, or the deployment goes back': [
      1,
      {
        DeploymentConfiguration: {
          DeploymentCircuitBreaker: { Enable: true, Rollback: true },
          MinimumHealthyPercent: 100,
          MaximumPercent: 200,
        },
        DesiredCount: 1,
        HealthCheckGracePeriodSeconds: 60,
        LaunchType: 'FARGATE',
      },
    ],
    'tasks have a public address to call AWS, and let in the balancer alone': {
      NetworkConfiguration: {
        AwsvpcConfiguration: {
          AssignPublicIp: 'ENABLED',
          SecurityGroups: [group('TaskGroup')],
          Subnets: [subnet('tasksSubnet1'), subnet('tasksSubnet2')],
        },
      },
    },
    'the balancer finds them': {
      LoadBalancers: [{ ContainerName: 'door', ContainerPort: 8080, TargetGroupArn: targets }],
    },
  }),
  ...about('AWS::ApplicationAutoScaling::ScalableTarget', {
    'there are one to ten tasks': [1, { MinCapacity: 1, MaxCapacity: 10 }],
  }),
  ...about('AWS::ApplicationAutoScaling::ScalingPolicy', {
    'by the load of their processors': [
      1,
      {
        TargetTrackingScalingPolicyConfiguration: {
          PredefinedMetricSpecification: { PredefinedMetricType: 'ECSServiceAverageCPUUtilization' },
          TargetValue: 60,
        },
      },
    ],
  }),
];

const networkPins: readonly Pin[] = [
  ...about('AWS::EC2::VPCGatewayAttachment', {
    'the network has the gateway without which CloudFront takes no origin in it': [
      1,
      { InternetGatewayId: { Ref: named('DoorFargateNetworkVpcIGW') }, VpcId: { Ref: named('DoorFargateNetworkVpc') } },
    ],
  }),
  ...about('AWS::EC2::NatGateway', { 'no NAT gateway costs more than the tasks': 0 }),
  ...about('AWS::EC2::VPCEndpoint', {
    'bodies reach the store without the internet, and without a charge': [
      1,
      {
        VpcEndpointType: 'Gateway',
        ServiceName: joined('com.amazonaws.', region, '.s3'),
        RouteTableIds: Match.anyValue(),
      },
    ],
  }),
  ...about(['AWS::EC2::SecurityGroupIngress', { GroupId: group('TaskGroup') }], {
    'only the balancer reaches a task': [
      1,
      { FromPort: 8080, ToPort: 8080, IpProtocol: 'tcp', SourceSecurityGroupId: group('BalancerGroup') },
    ],
  }),
  ...about(['AWS::EC2::SecurityGroup', { GroupDescription: 'The door' }], {
    'nothing else is let in': [1, { SecurityGroupIngress: Match.absent() }],
  }),
  ...about(['AWS::EC2::SecurityGroupEgress', { GroupId: group('BalancerGroup') }], {
    'the balancer reaches a task, and nothing else': [
      1,
      { FromPort: 8080, ToPort: 8080, IpProtocol: 'tcp', DestinationSecurityGroupId: group('TaskGroup') },
    ],
  }),
  ...about(['AWS::EC2::SecurityGroup', { GroupDescription: 'The balancer before the door' }], {
    'the balancer takes TLS alone': [
      1,
      { SecurityGroupIngress: [{ CidrIp: '0.0.0.0/0', FromPort: 443, ToPort: 443, IpProtocol: 'tcp' }] },
    ],
  }),
  ...about('AWS::ElasticLoadBalancingV2::LoadBalancer', {
    'the balancer has private addresses alone': [
      1,
      {
        Scheme: 'internal',
        Type: 'application',
        SecurityGroups: [group('BalancerGroup')],
        Subnets: [subnet('balancerSubnet1'), subnet('balancerSubnet2')],
      },
    ],
    'a client may be silent for five minutes, and no header is taken that is none': {
      LoadBalancerAttributes: [
        exactly({ Key: 'deletion_protection.enabled', Value: 'false' }),
        exactly({ Key: 'idle_timeout.timeout_seconds', Value: '300' }),
        exactly({ Key: 'routing.http.drop_invalid_header_fields.enabled', Value: 'true' }),
      ],
    },
  }),
  ...about('AWS::ElasticLoadBalancingV2::Listener', {
    'CloudFront speaks TLS to it, with the certificate of the Region': [
      1,
      {
        Port: 443,
        Protocol: 'HTTPS',
        Certificates: [{ CertificateArn: balancerCertificate }],
        SslPolicy: 'ELBSecurityPolicy-TLS13-1-2-PQ-2025-09',
        DefaultActions: [{ TargetGroupArn: targets, Type: 'forward' }],
      },
    ],
  }),
  ...about('AWS::ElasticLoadBalancingV2::TargetGroup', {
    'a task that answers is alive, and one that leaves finishes what it can': [
      1,
      {
        HealthCheckPath: '/healthz',
        Matcher: { HttpCode: '200-499' },
        HealthCheckIntervalSeconds: 30,
        HealthCheckTimeoutSeconds: 10,
        Port: 8080,
        Protocol: 'HTTP',
        TargetType: 'ip',
        TargetGroupAttributes: [
          exactly({ Key: 'deregistration_delay.timeout_seconds', Value: '300' }),
          exactly({ Key: 'stickiness.enabled', Value: 'false' }),
        ],
      },
    ],
  }),
  ...about('AWS::CloudFront::VpcOrigin', {
    'CloudFront reaches the balancer inside its network, over TLS': [
      1,
      {
        VpcOriginEndpointConfig: {
          Arn: { Ref: named('DoorFargateNetworkBalancer') },
          OriginProtocolPolicy: 'https-only',
          OriginSSLProtocols: ['TLSv1.2'],
        },
      },
    ],
    'and is told of it when it listens': {
      DependsOn: ['DoorGroup', ''].map((part) => named(`DoorFargateNetworkBalancerListener${part}`)),
    },
  }),
];

/** The door as tasks of Fargate. */
export const fargatePins: readonly Pin[] = [...taskPins, ...networkPins];
