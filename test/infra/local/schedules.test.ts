import { scheduledEvent, schedulesOf } from '../../../infra/local/schedules.ts';

const ruleArn = 'arn:aws:events:us-east-1:000000000000:rule/sweeps';
const rule = (properties: object) => ({
  type: 'AWS::Events::Rule',
  arn: ruleArn,
  properties: { ScheduleExpression: 'rate(1 hour)', Targets: [{ Arn: 'one' }], ...properties },
  metadata: {},
});
const ratesOf = (properties: object) =>
  schedulesOf([rule(properties)]).map(({ everyMilliseconds }) => everyMilliseconds);

describe('The schedules of a stack', () => {
  it.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(1 hour)', 3_600_000],
    ['rate(2 days)', 172_800_000],
  ])('%s is every %i ms', (ScheduleExpression, milliseconds) => {
    expect(ratesOf({ ScheduleExpression })).toEqual([milliseconds]);
  });

  it.each(['cron(0 * * * ? *)', 'rate(1 week)', 'rate(hour)'])(
    '%s is refused, not passed over',
    (ScheduleExpression) => {
      expect(() => ratesOf({ ScheduleExpression })).toThrow('The local runner does not know the schedule');
    },
  );

  it('call every target, unless the rule is off or waits for events', () => {
    const Targets = [{ Arn: 'one' }, { Arn: 'two' }];
    expect(schedulesOf([rule({ Targets })]).map(({ functionArn }) => functionArn)).toEqual(['one', 'two']);
    expect(schedulesOf([rule({ State: 'DISABLED' }), rule({ ScheduleExpression: undefined })])).toEqual([]);
  });

  it('send what a target has in place of the event', () => {
    const [schedule] = schedulesOf([rule({ Targets: [{ Arn: 'one', Input: '{"packageType":"npm"}' }] })]);
    expect(schedule && scheduledEvent(schedule)).toEqual({ packageType: 'npm' });
  });

  it('send the event that EventBridge sends', () => {
    const [schedule] = schedulesOf([rule({})]);
    expect(schedule && scheduledEvent(schedule)).toMatchObject({
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: '000000000000',
      region: 'us-east-1',
      resources: [ruleArn],
    });
  });
});
