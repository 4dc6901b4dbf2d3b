import { Match } from 'aws-cdk-lib/assertions';
import { endpoints } from '../../functions/endpoints.ts';
import { about, exactly, named, type Pin } from './pin.ts';
import { aliasCount, constructOf, rolesOf } from './pins-functions.ts';

const group = 'AWS::CodeDeploy::DeploymentGroup';
const alias = 'AWS::Lambda::Alias';

/** The functions whose new versions get a part of the calls first, as their contracts say. */
const hot = endpoints.filter(({ isHot }) => isHot).map(({ id }) => constructOf(id));

const application = { Ref: Match.stringLikeRegexp('ReleasesApplication[0-9A-F]{8}(Ref)?$') };
const rollbackAlarm = { Name: { Ref: Match.stringLikeRegexp('ReleasesRollbackAlarm[0-9A-F]{8}(Ref)?$') } };
const refusalAlarm = { Name: { Ref: named('ReleasesRefusalAlarm') } };
const check = named('ReleasesCheckFunction');

const movedBy = (update: object) => ({ UpdatePolicy: { CodeDeployLambdaAliasUpdate: update } });
const deployment = { Ref: Match.stringLikeRegexp('Deployment[0-9A-F]{8}$') };

const policy = (...statements: readonly unknown[]) => ({ Policies: [{ PolicyDocument: { Statement: statements } }] });
const movesAliases = exactly({
  Action: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
  Effect: 'Allow',
  Resource: Match.anyValue(),
});
const looksAtAlarms = exactly({ Action: 'cloudwatch:DescribeAlarms', Effect: 'Allow', Resource: '*' });
const callsCheck = exactly({
  Action: 'lambda:InvokeFunction',
  Effect: 'Allow',
  Resource: { 'Fn::GetAtt': [check, 'Arn'] },
});
const [role, ofCodeDeploy] = rolesOf('codedeploy.amazonaws.com');
const any = Match.anyValue();

/** New versions of the authorizer and of the hot functions get a tenth of the calls first. */
const gradual: readonly Pin[] = [
  ...about(group, {
    'few functions go live step by step': hot.length + 1,
    'a new version first gets a tenth of the calls': {
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
    },
    'a canary goes back when it fails or an alarm says so': {
      AutoRollbackConfiguration: exactly({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      }),
    },
    'canaries listen to alarms': { AlarmConfiguration: { Enabled: true } },
  }),
  ...about([group, { DeploymentGroupName: Match.absent() }], {
    'a hot function goes back at faults': [hot.length, { AlarmConfiguration: { Alarms: [rollbackAlarm] } }],
  }),
  ...about([group, { DeploymentGroupName: 'Stockroom-prod-authorizer' }], {
    'the authorizer goes back at faults, and when it refuses more than the others': [
      1,
      { AlarmConfiguration: { Alarms: [rollbackAlarm, refusalAlarm] } },
    ],
  }),
  ...about([alias, movedBy({ BeforeAllowTrafficHook: any })], {
    'the authorizer is signed in at before it gets traffic': [
      1,
      {
        ...movedBy(
          exactly({
            ApplicationName: application,
            DeploymentGroupName: deployment,
            BeforeAllowTrafficHook: { Ref: check },
          }),
        ),
        Properties: { FunctionName: { Ref: named('FunctionsAuthorizerFunction') } },
      },
    ],
  }),
  ...about([alias, movedBy({ BeforeAllowTrafficHook: Match.absent() })], {
    'what most of the traffic calls moves by CodeDeploy': [
      hot.length,
      {
        ...movedBy(exactly({ ApplicationName: application, DeploymentGroupName: deployment })),
        Properties: { FunctionName: { Ref: Match.stringLikeRegexp(`^(${hot.join('|')})Function[0-9A-F]{8}$`) } },
      },
    ],
  }),
  ...about([alias, { UpdatePolicy: Match.absent() }], {
    'the others are live at once': aliasCount - hot.length - 1,
  }),
  ...about([role, { ...ofCodeDeploy, ...policy(any, any) }], {
    'CodeDeploy may move aliases of this stack and look at alarms': [1, policy(movesAliases, looksAtAlarms)],
  }),
  ...about([role, { ...ofCodeDeploy, ...policy(any, any, any) }], {
    'and call the check, for the authorizer': [1, policy(movesAliases, looksAtAlarms, callsCheck)],
  }),
];

/** How new versions go live: step by step where most of the traffic is, or all at once. */
export const releasePins = (hasCanaries: boolean): readonly Pin[] =>
  hasCanaries
    ? gradual
    : [
        ...about(group, { 'new versions go live at once': 0 }),
        ...about(alias, { 'no alias waits for CodeDeploy': { UpdatePolicy: Match.absent() } }),
      ];
