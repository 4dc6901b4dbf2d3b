import { Duration } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { OriginProtocolPolicy, OriginSslPolicy, VpcOrigin, VpcOriginEndpoint } from 'aws-cdk-lib/aws-cloudfront';
import {
  GatewayVpcEndpointAwsService,
  IpAddresses,
  Peer,
  Port,
  SecurityGroup,
  type SubnetSelection,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { FargateService } from 'aws-cdk-lib/aws-ecs';
import {
  ApplicationLoadBalancer,
  ApplicationProtocol,
  type ApplicationTargetGroup,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** The port that the door listens on. */
export const doorPort = 8080;

/** Subnets by what stands in them. */
export const subnets = {
  tasks: { subnetGroupName: 'tasks' },
  balancer: { subnetGroupName: 'balancer' },
} satisfies Record<string, SubnetSelection>;

/**
 * The network of the tasks: nothing in it is reached from outside but by CloudFront, which has an interface of its own in it, and wants
 * the network to have an internet gateway. Tasks reach the store by an endpoint, and what else they need by a public address: a NAT
 * gateway would cost more than the tasks.
 * docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-vpc-origins.html
 */
export class FargateNetwork extends Construct {
  readonly vpc: Vpc;
  readonly balancer: ApplicationLoadBalancer;
  /** The group of the tasks. */
  readonly taskGroup: SecurityGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.0.0.0/24'),
      maxAzs: 2,
      natGateways: 0,
      subnetConfiguration: [
        { name: subnets.tasks.subnetGroupName, subnetType: SubnetType.PUBLIC, cidrMask: 26 },
        { name: subnets.balancer.subnetGroupName, subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 26 },
      ],
      gatewayEndpoints: { Store: { service: GatewayVpcEndpointAwsService.S3 } },
      // Nothing uses the default group, and to empty it takes a function with rights to change networks.
      restrictDefaultSecurityGroup: false,
    });
    const balancerGroup = new SecurityGroup(this, 'BalancerGroup', {
      vpc: this.vpc,
      description: 'The balancer before the door',
      allowAllOutbound: false,
    });
    // Its addresses are private: whoever reaches them is CloudFront or in this network. The group that CloudFront makes for its interfaces
    // is there after the origin alone, and the number of its list of addresses is another in each Region.
    balancerGroup.addIngressRule(Peer.anyIpv4(), Port.tcp(443), 'CloudFront');
    this.taskGroup = new SecurityGroup(this, 'TaskGroup', { vpc: this.vpc, description: 'The door' });
    this.balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      vpc: this.vpc,
      vpcSubnets: subnets.balancer,
      internetFacing: false,
      securityGroup: balancerGroup,
      // A client may be silent for so long.
      idleTimeout: Duration.seconds(300),
      dropInvalidHeaderFields: true,
    });
  }

  /** Lets CloudFront reach the service by the balancer; returns the origin's ID. */
  open(service: FargateService, certificateArn: string): { targets: ApplicationTargetGroup; originId: string } {
    const listener = this.balancer.addListener('Listener', {
      port: 443,
      protocol: ApplicationProtocol.HTTPS,
      certificates: [Certificate.fromCertificateArn(this, 'Certificate', certificateArn)],
      open: false,
    });
    const targets = listener.addTargets('Door', {
      port: doorPort,
      protocol: ApplicationProtocol.HTTP,
      targets: [service],
      healthCheck: {
        path: '/healthz',
        // The door is alive if it answers, also if it refuses the balancer, which has no secret, or the API is down.
        healthyHttpCodes: '200-499',
        interval: Duration.seconds(30),
        timeout: Duration.seconds(10),
      },
      // A task that leaves finishes what it can.
      deregistrationDelay: Duration.seconds(300),
    });
    const origin = new VpcOrigin(this, 'Origin', {
      endpoint: VpcOriginEndpoint.applicationLoadBalancer(this.balancer),
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    });
    origin.node.addDependency(listener);
    return { targets, originId: origin.vpcOriginId };
  }
}

/** The host name that CloudFront asks the balancer for, and its certificate in the stack's Region. */
export const nameOf = ({ domain }: Settings): { readonly name: string; readonly certificateArn: string } => {
  if (!domain) throw new Error('The settings let no stage have a door without its host name.');
  return domain;
};
