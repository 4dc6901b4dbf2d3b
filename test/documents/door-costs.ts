import type { TemplateResource } from '../infra/templates.ts';
import { costOfIdleMonth, prices } from './costs.ts';

/**
 * Prices of what a stage with a door has beside the others, in US dollars of us-east-1, without free tiers. They come from pages of
 * others and from memory: AWS's own were not looked up. No page had a price of web functions.
 */
export const doorPrices = {
  edgePerTenThousandRequests: 0.01,
  edgePerGigabyteToOrigin: 0.02,
  edgePerGigabyteToClients: 0.085,
  edgeFunctionPerMillionRequests: 0.1,
  balancerPerHour: 0.0225,
  balancerPerUnitHour: 0.008,
  taskPerProcessorHour: 0.03238,
  taskPerGigabyteHour: 0.00356,
  publicAddressPerHour: 0.005,
} as const;

/** What is pushed, for the costs of pushes. */
export const pushed = { gigabytes: 100, bodies: 1_000, partBytes: 8 * 1024 ** 2 } as const;

const hoursPerMonth = 730;

/** A unit of the balancer is, among others, a gigabyte in an hour. */
const gigabytesPerUnitHour = 1;

type Line = readonly [what: string, dollars: number];

const ofType = (resources: readonly TemplateResource[], type: string): TemplateResource[] =>
  resources.filter(({ Type }) => Type === type);

/** What a month without uploads costs more than the same stage without a door: what its host and CloudFront cost by being there. */
export const costOfIdleDoor = (
  withDoor: readonly TemplateResource[],
  without: readonly TemplateResource[],
): readonly Line[] => {
  const before = new Map(costOfIdleMonth(without));
  const shared = costOfIdleMonth(withDoor).map(([what, cost]): Line => [what, cost - (before.get(what) ?? 0)]);
  const balancers = ofType(withDoor, 'AWS::ElasticLoadBalancingV2::LoadBalancer').length;
  const tasks = ofType(withDoor, 'AWS::ECS::TaskDefinition').map(({ Properties = {} }) => ({
    processors: Number(Properties.Cpu) / 1024,
    gigabytes: Number(Properties.Memory) / 1024,
  }));
  const { taskPerProcessorHour, taskPerGigabyteHour, balancerPerHour, publicAddressPerHour } = doorPrices;
  const ofTasks = tasks.map((task) => task.processors * taskPerProcessorHour + task.gigabytes * taskPerGigabyteHour);
  return [
    ...shared.filter(([what]) => what !== 'Dashboard'),
    ['Balancer', balancers * balancerPerHour * hoursPerMonth],
    ['Task', ofTasks.reduce((sum, each) => sum + each, 0) * hoursPerMonth],
    ['Public address of the task', tasks.length * publicAddressPerHour * hoursPerMonth],
  ];
};

/** What pushes cost on the way to the store, without the time of the door. */
export const costOfPushes = (hasBalancer: boolean): readonly Line[] => {
  const { gigabytes, bodies, partBytes } = pushed;
  const parts = (gigabytes * 1e9) / partBytes + 2 * bodies;
  return [
    ['CloudFront, data to the door', gigabytes * doorPrices.edgePerGigabyteToOrigin],
    ['CloudFront, requests', (bodies / 10_000) * doorPrices.edgePerTenThousandRequests],
    ['Store, written', (parts * prices.table.storePerMillionWrites) / 1e6],
    ['Balancer, data', hasBalancer ? (gigabytes / gigabytesPerUnitHour) * doorPrices.balancerPerUnitHour : 0],
  ];
};

/** The prices as a table in Markdown. */
export const doorPriceTable = (): string =>
  [
    '| Price of what a door needs, us-east-1, not looked up at AWS | $ |',
    '| --- | ---: |',
    ...Object.entries(doorPrices).map(([name, price]) => `| ${name} | ${price} |`),
  ].join('\n');
