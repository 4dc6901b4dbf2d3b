import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Aws, Duration } from 'aws-cdk-lib';
import {
  AwsLogDriver,
  Cluster,
  ContainerDependencyCondition,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import type { ApplicationLoadBalancer, ApplicationTargetGroup } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { uploadsMaxVariable } from '../../shared/config.ts';
import { type DoorHostProps, type DoorOrigin, doorAnswerSeconds } from './door-host.ts';
import { DoorRole } from './door-role.ts';
import { doorPort, FargateNetwork, nameOf, subnets } from './fargate-network.ts';

/**
 * Public images, so that nothing here needs Docker: one fetches the bundle, which the other runs. Both are of AWS's public
 * registry, and of the version of Node that this project is tested with.
 */
const images = {
  fetch: 'public.ecr.aws/aws-cli/aws-cli:2.31.0',
  run: 'public.ecr.aws/docker/library/node:24.21.0-slim',
} as const;

/** What the container runs: it keeps the credentials of the task in the variables that the bundle reads, and starts the bundle. */
const startScript = readFileSync(join(import.meta.dirname, 'fargate-start.js'), 'utf8');

const bundleFolder = '/bundle';

/** The memory of a task, in MiB: twice its processor units, which Fargate offers for each of them. */
const memoryOf = (processorUnits: number): number => 2 * processorUnits;

/** A part of 8 MiB is in memory twice until it is sent, and Node and its connections need memory, too. */
const uploadsMax = (processorUnits: number): number => processorUnits / 32;

/** The door as tasks of Fargate behind a balancer that only CloudFront reaches. At least one task runs, and costs, all the time. */
export class FargateHost extends Construct {
  readonly origin: DoorOrigin;
  readonly balancer: ApplicationLoadBalancer;
  readonly targets: ApplicationTargetGroup;
  readonly service: FargateService;

  constructor(scope: Construct, id: string, props: DoorHostProps) {
    super(scope, id);
    const { settings } = props;
    const network = new FargateNetwork(this, 'Network');
    const cluster = new Cluster(this, 'Cluster', {
      vpc: network.vpc,
      containerInsightsV2: ContainerInsights.DISABLED,
    });
    this.service = new FargateService(this, 'Service', {
      cluster,
      taskDefinition: this.createTask(props),
      vpcSubnets: subnets.tasks,
      assignPublicIp: true,
      securityGroups: [network.taskGroup],
      desiredCount: 1,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
    });
    const { name, certificateArn } = nameOf(settings);
    const { targets, originId } = network.open(this.service, certificateArn);
    this.scale(settings.door.instancesMax);
    this.balancer = network.balancer;
    this.targets = targets;
    // CloudFront finds the balancer by the origin's ID; this name is the one that it says and expects in TLS, and no public
    // certificate has the balancer's own.
    this.origin = {
      domainName: name,
      vpcOriginConfig: { vpcOriginId: originId, originReadTimeout: doorAnswerSeconds, originKeepaliveTimeout: 60 },
    };
  }

  private createTask({ settings, bundle, statements, environment, log }: DoorHostProps): FargateTaskDefinition {
    const asset = new Asset(this, 'Bundle', { path: join(bundle, 'index.js') });
    const readBundle = new PolicyStatement({
      actions: ['s3:GetObject'],
      resources: [asset.bucket.arnForObjects(asset.s3ObjectKey)],
    });
    const { processorUnits } = settings.door;
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: processorUnits,
      memoryLimitMiB: memoryOf(processorUnits),
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: new DoorRole(this, 'Role', 'ecs-tasks.amazonaws.com', [
        ...statements,
        readBundle,
      ]).withoutPolicyUpdates(),
      volumes: [{ name: 'bundle' }],
    });
    const logging = new AwsLogDriver({ logGroup: log, streamPrefix: 'door' });
    const fetch = task.addContainer('fetch', {
      image: ContainerImage.fromRegistry(images.fetch),
      command: ['s3', 'cp', asset.s3ObjectUrl, `${bundleFolder}/index.js`, '--only-show-errors'],
      essential: false,
      readonlyRootFilesystem: true,
      logging,
    });
    fetch.addMountPoints({ sourceVolume: 'bundle', containerPath: bundleFolder, readOnly: false });
    const door = task.addContainer('door', {
      image: ContainerImage.fromRegistry(images.run),
      command: ['node', '--input-type=module', '--eval', startScript],
      environment: {
        ...environment,
        AWS_REGION: Aws.REGION,
        // As in a web function of Lambda.
        AWS_LAMBDA_HTTP_ENDPOINT: `0.0.0.0:${doorPort}`,
        [uploadsMaxVariable]: `${uploadsMax(settings.door.processorUnits)}`,
      },
      portMappings: [{ containerPort: doorPort }],
      user: 'node',
      readonlyRootFilesystem: true,
      // The longest that there is, between SIGTERM and the end.
      stopTimeout: Duration.seconds(120),
      logging,
    });
    door.addMountPoints({ sourceVolume: 'bundle', containerPath: bundleFolder, readOnly: true });
    door.addContainerDependencies({ container: fetch, condition: ContainerDependencyCondition.SUCCESS });
    return task;
  }

  private scale(maxCapacity: number): void {
    const scaling = this.service.autoScaleTaskCount({ minCapacity: 1, maxCapacity });
    scaling.scaleOnCpuUtilization('Processor', {
      targetUtilizationPercent: 60,
      scaleInCooldown: Duration.minutes(5),
      scaleOutCooldown: Duration.minutes(1),
    });
  }
}
