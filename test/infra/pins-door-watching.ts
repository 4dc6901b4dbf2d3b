import { about, exactly, named, type Pin } from './pin.ts';
import { get } from './pins-cloudfront.ts';
import { alarm, metric } from './pins-watching.ts';

const stage = 'Stockroom-prod';
const balancer = { LoadBalancer: get('DoorFargateNetworkBalancer', 'LoadBalancerFullName') };
const target = { TargetGroup: get('DoorFargateNetworkBalancerListenerDoorGroup', 'TargetGroupFullName') };

/** What each log line of the door counts as. */
const counted = {
  doorFailures: '{ $.level = "ERROR" }',
  doorUploads: '{ $.way = "staged" }',
  doorCuts: '{ $.way = "cut" }',
} as const;

const ofAlarm = (name: string) => ['AWS::CloudWatch::Alarm', { AlarmName: `${stage}-${name}` }] as const;

const doorPins: readonly Pin[] = [
  ...Object.entries(counted).flatMap(([MetricName, FilterPattern]) =>
    about(['AWS::Logs::MetricFilter', { MetricTransformations: [{ MetricName }] }], {
      [`lines of the door count as ${MetricName}`]: [
        1,
        {
          FilterPattern,
          LogGroupName: { Ref: named('DoorLog') },
          MetricTransformations: [exactly({ MetricName, MetricNamespace: stage, MetricValue: '1' })],
        },
      ],
    }),
  ),
  ...about(ofAlarm('door-failures'), {
    'more than five failures of the door in five minutes are watched': [
      1,
      alarm([metric(stage, 'doorFailures', 'Sum')], 5),
    ],
  }),
];

/** What only Fargate has. */
const balancerPins: readonly Pin[] = [
  ...about(ofAlarm('door-down'), {
    'ten minutes without any task that answers are watched, also where no task is counted': [
      1,
      {
        Properties: {
          ...alarm([metric('AWS/ApplicationELB', 'HealthyHostCount', 'Maximum', { ...balancer, ...target })], 1, 2),
          ComparisonOperator: 'LessThanThreshold',
          TreatMissingData: 'breaching',
        },
        // Before the first task, nobody is to be called.
        DependsOn: ['', 'TaskCountTargetProcessor', 'TaskCountTarget'].map((part) =>
          named(`DoorFargateService${part}`),
        ),
      },
    ],
  }),
  ...about(ofAlarm('door-unhealthy'), {
    'a task that does not answer for ten minutes is watched': [
      1,
      alarm([metric('AWS/ApplicationELB', 'UnHealthyHostCount', 'Maximum', { ...balancer, ...target })], 0, 2),
    ],
  }),
  ...about(ofAlarm('door-unreachable'), {
    'bodies that no task took are watched': [
      1,
      alarm([metric('AWS/ApplicationELB', 'HTTPCode_ELB_5XX_Count', 'Sum', balancer)], 5),
    ],
  }),
];

/** The alarms of the door on each host. */
export const doorWatchPins = (uploads: 'web-function' | 'fargate'): readonly Pin[] => [
  ...doorPins,
  ...(uploads === 'fargate' ? balancerPins : []),
  ...about('AWS::CloudWatch::Alarm', { 'there is no other alarm': uploads === 'fargate' ? 27 : 24 }),
];
