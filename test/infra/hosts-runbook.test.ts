import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../infra/settings.ts';
import { costTable } from '../documents/costs.ts';
import { costOfIdleDoor, costOfPushes, doorPriceTable, pushed } from '../documents/door-costs.ts';
import { hostSettings, someEndpoints } from './hosts.ts';
import { synthesiseVariant, type TemplateResource } from './templates.ts';

const runbook = readFileSync(join(__dirname, '..', '..', 'RUNBOOK.md'), 'utf8');
const resourcesOf = (change: Partial<Settings> = {}): readonly TemplateResource[] =>
  synthesiseVariant({ stage: 'prod', endpoints: someEndpoints, change }).resources;
const hosts = {
  'web-function': resourcesOf(hostSettings('prod', 'web-function')),
  fargate: resourcesOf(hostSettings('prod', 'fargate')),
};
const without = resourcesOf();

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
