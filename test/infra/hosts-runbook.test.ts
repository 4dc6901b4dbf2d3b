import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { costTable } from '../harness/costs.ts';
import { costOfIdleDoor, costOfPushes, doorPriceTable, pushed } from '../harness/door-costs.ts';
import { someEndpoints, synthesiseHost } from './hosts.ts';
import { synthesiseVariant } from './templates.ts';

const runbook = readFileSync(join(__dirname, '..', '..', 'RUNBOOK.md'), 'utf8');
const hosts = {
  'web-function': synthesiseHost('prod', 'web-function').resources,
  fargate: synthesiseHost('prod', 'fargate').resources,
};
const without = synthesiseVariant({ stage: 'prod', endpoints: someEndpoints }).resources;

describe('The runbook, about the door', () => {
  it('tells what a month without uploads costs more, on each host', () => {
    expect(runbook).toContain(
      costTable({
        'web-function, $': costOfIdleDoor(hosts['web-function'], without),
        'fargate, $': costOfIdleDoor(hosts.fargate, without),
      }),
    );
  });

  it('tells what pushes cost, and from which prices', () => {
    expect(runbook).toContain(costTable({ 'web-function, $': costOfPushes(false), 'fargate, $': costOfPushes(true) }));
    expect(runbook).toContain(`${pushed.gigabytes} GB pushed in ${pushed.bodies.toLocaleString('en')} bodies`);
    expect(runbook).toContain(doorPriceTable());
  });

  it.each(['web-function', 'fargate'] as const)('has a paragraph for each alarm of a %s', (uploads) => {
    const alarms = hosts[uploads]
      .filter(({ Type, Properties }) => Type === 'AWS::CloudWatch::Alarm' && Properties?.AlarmName !== undefined)
      .map(({ Properties }) => String(Properties?.AlarmName).replace('Stockroom-prod-', ''));
    expect(alarms).toContain('door-failures');
    for (const alarm of alarms) expect(runbook).toContain(`### ${alarm}\n`);
  });
});
